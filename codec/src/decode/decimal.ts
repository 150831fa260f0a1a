/** A number of nanoseconds. */
export interface Nanos {
  readonly nanos: bigint;
  /** Whether the number had further digits, which were dropped. */
  readonly isCut: boolean;
}

const MAX_DIGITS = 1000;
/** The maximum number of digits of a time or duration in nanoseconds: 10,000 years. */
const MAX_NANO_DIGITS = 21;
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

/**
 * Converts a decimal number to nanoseconds digit by digit, since a double would lose some digits of
 * `1767225600.123456789`. Returns undefined for a string that is not a number, and for a number outside the
 * range of times.
 *
 * @param unitDigits the number of decimal digits between the unit and the second: 3 for milliseconds
 */
export function nanosOf(text: string, unitDigits: number): Nanos | undefined {
  const [match, sign, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text.trim()) ?? [];
  if (match === undefined || match.length > MAX_DIGITS || whole + fraction === "") return undefined;
  const digits = (whole + fraction).replace(/^0+(?=.)/, "");
  // the number of digits before the decimal point of the nanoseconds
  const length = digits.length - fraction.length + Number(exponent) + 9 - unitDigits;
  if (digits !== "0" && length > MAX_NANO_DIGITS) return undefined;
  const kept = digits === "0" || length <= 0 ? "0" : digits.slice(0, length).padEnd(length, "0");
  const nanos = BigInt(kept);
  return { nanos: sign === "-" ? -nanos : nanos, isCut: /[1-9]/.test(digits.slice(Math.max(0, length))) };
}
