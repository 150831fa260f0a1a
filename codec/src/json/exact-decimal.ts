/** Digits that a number may have. No type holds more exactly; a bigint takes quadratic time to read. */
export const MAX_DIGITS = 1000;

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * A number as its digits, from the first to the last that is not 0, times a power of ten:
 * `1e999` is as short as `1`.
 */
export interface ExactDecimal {
  readonly sign: string;
  /** Empty for 0. */
  readonly digits: string;
  readonly exponent: number;
}

/** Undefined for what is no number of JSON, and for one of more characters than digits may be. */
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

/** Without zeros at the end: a regular expression would look for one from each of them. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

export function isInteger({ exponent }: ExactDecimal): boolean {
  return exponent >= 0;
}

/** How many digits an integer has when it is written out. */
export function lengthOf({ digits, exponent }: ExactDecimal): number {
  return digits.length + exponent;
}

/** An integer, written out. */
export function plainDigits(integer: ExactDecimal): string {
  return integer.sign + (integer.digits === "" ? "0" : integer.digits.padEnd(lengthOf(integer), "0"));
}

export function areEqual(one: ExactDecimal, other: ExactDecimal | undefined): boolean {
  return one.sign === other?.sign && one.digits === other.digits && one.exponent === other.exponent;
}

/**
 * The plain digits of an integer, whose notation may have a fraction and an exponent; undefined for a
 * fraction, and for an integer of more than `maxDigits`.
 */
export function integerDigits(number: string, maxDigits: number = MAX_DIGITS): string | undefined {
  const decimal = exactDecimal(number);
  if (decimal === undefined || !isInteger(decimal) || lengthOf(decimal) > maxDigits) return undefined;
  return plainDigits(decimal);
}
