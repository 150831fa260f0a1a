/** A number of nanoseconds. */
export interface Nanos {
  readonly nanos: bigint;
  /** Whether the number had digits beyond them, which are left out. */
  readonly isCut: boolean;
}

const MAX_DIGITS = 1000;
/** How many digits the greatest time or duration has, in nanoseconds: 10,000 years. */
const MAX_NANO_DIGITS = 21;
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

/**
 * A decimal number as nanoseconds, digit by digit: a double would lose some of `1767225600.123456789`.
 * undefined for what is no number, and for what is greater than any time.
 *
 * @param unitDigits how many decimal digits its unit has below the second: 3 for milliseconds
 */
export function nanosOf(text: string, unitDigits: number): Nanos | undefined {
  const [match, sign, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text.trim()) ?? [];
  if (match === undefined || match.length > MAX_DIGITS || whole + fraction === "") return undefined;
  const digits = (whole + fraction).replace(/^0+(?=.)/, "");
  // how many digits stand in front of the nanoseconds' point
  const length = digits.length - fraction.length + Number(exponent) + 9 - unitDigits;
  if (digits !== "0" && length > MAX_NANO_DIGITS) return undefined;
  const kept = digits === "0" || length <= 0 ? "0" : digits.slice(0, length).padEnd(length, "0");
  const nanos = BigInt(kept);
  return { nanos: sign === "-" ? -nanos : nanos, isCut: /[1-9]/.test(digits.slice(Math.max(0, length))) };
}
