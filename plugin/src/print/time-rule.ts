import type { DescField } from "@bufbuild/protobuf";
import { fieldRules } from "../descriptors/options.ts";
import { Time_Rounding, Time_Unit } from "../gen/connectrest/v1/field_rules_pb.ts";
import { printString } from "./literal.ts";

const UNITS: Readonly<Record<Time_Unit, string>> = {
  [Time_Unit.UNIT_UNSPECIFIED]: "iso8601",
  [Time_Unit.SECONDS]: "seconds",
  [Time_Unit.MILLIS]: "millis",
  [Time_Unit.MICROS]: "micros",
  [Time_Unit.ISO_8601]: "iso8601",
  [Time_Unit.FORMAT]: "pattern",
  [Time_Unit.HTTP_DATE]: "http_date",
  [Time_Unit.RFC_2822]: "rfc2822",
  [Time_Unit.NANOS]: "nanos",
};

/** The runtime's `TimeRule` of a Timestamp field, as an expression. */
export function timeRule(field: DescField): string {
  const { time } = fieldRules(field);
  if (time === undefined) return printString("iso8601");
  if (time.unit === Time_Unit.FORMAT) return `{ pattern: ${printString(time.format)} }`;
  return printString(UNITS[time.unit] ?? "iso8601");
}

/** The runtime's `DurationRule` of a Duration field, as an expression; undefined where it is as in ProtoJSON. */
export function durationRule(field: DescField): string | undefined {
  const { time } = fieldRules(field);
  return time === undefined ? undefined : printString(UNITS[time.unit] ?? "iso8601");
}

/** The wire text that means "no time"; undefined where there is none. */
export function noTime(field: DescField): string | undefined {
  return fieldRules(field).time?.none || undefined;
}

/** How the writers of times are called for a field, behind the time: its rule, and how it is rounded. */
export function timeArguments(field: DescField): string {
  const rounding = fieldRules(field).time?.rounding;
  const word = rounding === Time_Rounding.UP ? "up" : rounding === Time_Rounding.DOWN ? "down" : undefined;
  return word === undefined ? timeRule(field) : `${timeRule(field)}, ${printString(word)}`;
}
