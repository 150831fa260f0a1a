/**
 * The maximum number of digits in a number. No type holds more digits exactly, and parsing a bigint takes
 * quadratic time.
 */
export const MAX_DIGITS = 1000;

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A number as its digits, from the first to the last nonzero digit, times a power of ten: `1e999` takes as
 * little space as `1`.
 */
export interface ExactDecimal {
  readonly sign: string;
  /** The digits; an empty string for 0. */
  readonly digits: string;
  readonly exponent: number;
}

/**
 * Parses a JSON number. Returns undefined for a string that is not a JSON number, and for a string longer
 * than the digit limit.
 */
export function exactDecimal(source: string): ExactDecimal | undefined {
  if (source.length > MAX_DIGITS) return undefined;
  const [, sign = "", whole, fraction = "", exponent = "0"] = PARTS.exec(source) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, "");
  const short = withoutZeros(digits);
  if (short === "") return { sign: "", digits: "", exponent: 0 };
  return {
    sign,
    digits: short,
    exponent: Number(exponent) - fraction.length + digits.length - short.length,
  };
}

/** Strips trailing zeros. A regular expression would retry from each zero. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

export function isInteger({ exponent }: ExactDecimal): boolean {
  return exponent >= 0;
}

/** Returns the number of digits of an integer when written out. */
export function lengthOf({ digits, exponent }: ExactDecimal): number {
  return digits.length + exponent;
}

/** Writes out an integer. */
export function plainDigits(integer: ExactDecimal): string {
  return integer.sign + (integer.digits === "" ? "0" : integer.digits.padEnd(lengthOf(integer), "0"));
}

export function areEqual(one: ExactDecimal, other: ExactDecimal | undefined): boolean {
  return one.sign === other?.sign && one.digits === other.digits && one.exponent === other.exponent;
}

/**
 * Writes out an integer whose notation may have a fraction and an exponent. Returns undefined for a number
 * that is not an integer, and for an integer of more than `maxDigits`.
 */
export function integerDigits(number: string, maxDigits: number = MAX_DIGITS): string | undefined {
  const decimal = exactDecimal(number);
  if (decimal === undefined || !isInteger(decimal) || lengthOf(decimal) > maxDigits) return undefined;
  return plainDigits(decimal);
}
