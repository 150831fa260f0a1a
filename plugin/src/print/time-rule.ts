import type { TimeModel } from "../model/types.ts";
import { printString } from "./literal.ts";

/** Returns the `TimeRule` of a Timestamp field in the runtime, as an expression. */
export function timeRule(time: TimeModel | undefined): string {
  if (time?.notation === "pattern") return `{ pattern: ${printString(time.format)} }`;
  return printString(time?.notation ?? "iso8601");
}

/**
 * Returns the `DurationRule` of a Duration field in the runtime, as an expression; undefined for the
 * ProtoJSON form.
 */
export function durationRule(time: TimeModel | undefined): string | undefined {
  return time && printString(time.notation);
}

/** Returns the value that means "no time"; undefined if there is none. */
export function noTime(time: TimeModel | undefined): string | undefined {
  return time?.none || undefined;
}

/**
 * Returns the arguments that follow a time in the call that writes it: its rule, its rounding, and the value
 * that means "no time".
 */
export function timeArguments(time: TimeModel | undefined): string {
  const rounding = time?.rounding && printString(time.rounding);
  const none = noTime(time);
  const last = none === undefined ? [rounding] : [rounding ?? "undefined", printString(none)];
  return [timeRule(time), ...last].filter((argument) => argument !== undefined).join(", ");
}
