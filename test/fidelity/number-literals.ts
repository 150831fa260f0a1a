/** Generates spellings of numbers. */
import fc from "fast-check";

const BOUNDS = [31, 32, 52, 53, 63, 64].map((bits) => 2n ** BigInt(bits));
const SECONDS = [1_767_225_600n, 253_402_300_799n, -62_135_596_800n, 315_576_000_000n];

const INTEGER = fc.oneof(
  fc.bigInt({ min: -3n, max: 3n }),
  fc
    .tuple(fc.constantFrom(...BOUNDS, ...SECONDS), fc.bigInt({ min: -3n, max: 3n }), fc.constantFrom(1n, -1n))
    .map(([bound, offset, sign]) => sign * bound + offset),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }),
);

/** A distance from an integer, as digits after the point. */
export const FRACTION = fc.oneof(
  fc.nat(40).map((zeros) => "0".repeat(zeros)),
  fc.tuple(fc.nat(30), fc.constantFrom("1", "5", "999")).map(([zeros, end]) => "0".repeat(zeros) + end),
  fc.tuple(fc.integer({ min: 1, max: 30 }), fc.constantFrom("", "4", "6")).map(([nines, end]) => {
    return "9".repeat(nines) + end;
  }),
  fc.nat({ max: 10 ** 9 }).map(String),
);

/** Returns a JSON number with its point moved, which an exponent compensates. */
export function shifted(whole: string, fraction: string, by: number, mark: string): string {
  const sign = whole.startsWith("-") ? "-" : "";
  const digits = whole.slice(sign.length) + fraction;
  const point = whole.length - sign.length + by;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const at = point <= 0 ? 1 : point;
  const front = padded.slice(0, at).replace(/^0+(?=\d)/, "");
  const rest = padded.slice(at);
  return `${sign}${front}${rest === "" ? "" : `.${rest}`}${mark}${-by}`;
}

/** A JSON number, often close to an integer that a type or a double just holds. */
export const LITERAL = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(INTEGER, FRACTION)
      .map(([integer, fraction]) => `${integer}${fraction === "" ? "" : `.${fraction}`}`),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(INTEGER, FRACTION, fc.integer({ min: -25, max: 25 }), fc.constantFrom("e", "E"))
      .map(([integer, fraction, by, mark]) => shifted(String(integer), fraction, by, mark)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("1", "-1", "4.9", "0", "-0", "0.0", "999"), fc.integer({ min: -500, max: 450 }))
      .map(([digits, exponent]) => `${digits}e${exponent}`),
  },
  { weight: 1, arbitrary: fc.constantFrom("-0", "-0.0", "4503599627370497.5", "0.99999999999999999999") },
);
