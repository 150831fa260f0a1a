import type { TimeModel } from "../model/types.ts";
import { printString } from "./literal.ts";

/** The runtime's `TimeRule` of a Timestamp field, as an expression. */
export function timeRule(time: TimeModel | undefined): string {
  if (time?.notation === "pattern") return `{ pattern: ${printString(time.format)} }`;
  return printString(time?.notation ?? "iso8601");
}

/**
 * The runtime's `DurationRule` of a Duration field, as an expression; undefined where it is as in ProtoJSON.
 */
export function durationRule(time: TimeModel | undefined): string | undefined {
  return time && printString(time.notation);
}

/** The wire text that means "no time"; undefined where there is none. */
export function noTime(time: TimeModel | undefined): string | undefined {
  return time?.none || undefined;
}

/**
 * What follows the time where one is written: its rule, how it is rounded, and the text that means "no time".
 */
export function timeArguments(time: TimeModel | undefined): string {
  const rounding = time?.rounding && printString(time.rounding);
  const none = noTime(time);
  const last = none === undefined ? [rounding] : [rounding ?? "undefined", printString(none)];
  return [timeRule(time), ...last].filter((argument) => argument !== undefined).join(", ");
}
