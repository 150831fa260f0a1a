/** Computes the content of a field from the exact value of a JSON number, without using a decoder. */
import type { BinaryWriter } from "@bufbuild/protobuf/wire";
import type { CountUnit, ScalarKind } from "../../codec/src/table/kinds.ts";

/** A number: `digits` times a power of ten. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The expected result of a value: the field's content, if any, and the class of the difference, if any. */
export interface Expected {
  /** Writes the field with this number. Undefined if the field is unset. */
  readonly write: ((out: BinaryWriter, field: number) => void) | undefined;
  readonly difference?: "converted" | "lost" | "additional";
}

/** How the number is written: as a JSON number, or as the content of a JSON string. */
export type Spelling = "number" | "string";

export const LOST: Expected = { write: undefined, difference: "lost" };

/** Parses a JSON number. */
export function decimalOf(literal: string): Decimal {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

/** Returns the number if it is an integer. */
export function integerOf({ digits, exponent }: Decimal): bigint | undefined {
  if (exponent >= 0) return digits * 10n ** BigInt(exponent);
  const unit = 10n ** BigInt(-exponent);
  return digits % unit === 0n ? digits / unit : undefined;
}

/** Returns the number times 10^places, rounded toward zero, and whether it was rounded. */
function scaled({ digits, exponent }: Decimal, places: number): { count: bigint; isCut: boolean } {
  const power = exponent + places;
  if (power >= 0) return { count: digits * 10n ** BigInt(power), isCut: false };
  const unit = 10n ** BigInt(-power);
  return { count: digits / unit, isCut: digits % unit !== 0n };
}

type IntegerKind = Exclude<ScalarKind, "string" | "bytes" | "textBytes" | "bool" | "double" | "float">;

const WIRE: Readonly<Record<IntegerKind, readonly [wireType: number, bits: number, isSigned: boolean]>> = {
  int32: [0, 32, true],
  sint32: [0, 32, true],
  uint32: [0, 32, false],
  fixed32: [5, 32, false],
  sfixed32: [5, 32, true],
  int64: [0, 64, true],
  sint64: [0, 64, true],
  uint64: [0, 64, false],
  fixed64: [1, 64, false],
  sfixed64: [1, 64, true],
};

export const INTEGER_KINDS = Object.keys(WIRE) as IntegerKind[];

export function expectedInteger(kind: IntegerKind, literal: string, spelling: Spelling): Expected {
  const [wireType, bits, isSigned] = WIRE[kind];
  const min = isSigned ? -(2n ** BigInt(bits - 1)) : 0n;
  const max = isSigned ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n;
  const integer = integerOf(decimalOf(literal));
  if (integer === undefined || integer < min || integer > max) return LOST;
  const value = bits === 64 ? integer : Number(integer);
  return {
    write: (out, field) => out.tag(field, wireType)[kind](value as never),
    // ProtoJSON writes integers of 64 bits as strings
    ...(spelling === "string" && bits === 32 && { difference: "converted" }),
  };
}

export function expectedFloating(kind: "double" | "float", literal: string, spelling: Spelling): Expected {
  const value = Number(literal);
  if (!Number.isFinite(kind === "float" ? Math.fround(value) : value)) return LOST;
  return {
    write: (out, field) => out.tag(field, kind === "float" ? 5 : 1)[kind](value),
    ...(spelling === "string" && { difference: "converted" }),
  };
}

export function expectedBool(literal: string, spelling: Spelling): Expected {
  const integer = integerOf(decimalOf(literal));
  const isKnown = spelling === "string" ? ["0", "1"].includes(literal) : integer === 0n || integer === 1n;
  if (!isKnown) return LOST;
  return { write: (out, field) => out.tag(field, 0).bool(integer === 1n), difference: "converted" };
}

/** @param declared the numbers of an open enum */
export function expectedEnum(declared: readonly number[], literal: string, spelling: Spelling): Expected {
  const integer = integerOf(decimalOf(literal));
  if (integer === undefined || integer < -(2n ** 31n) || integer >= 2n ** 31n) return LOST;
  const number = Number(integer);
  const isDeclared = declared.includes(number);
  if (spelling === "string" && !(isDeclared && String(number) === literal)) return LOST;
  return {
    write: (out, field) => out.tag(field, 0).int32(number),
    ...(!isDeclared ? { difference: "additional" } : spelling === "string" && { difference: "converted" }),
  };
}

export function expectedString(literal: string): Expected {
  return { write: (out, field) => out.tag(field, 2).string(literal), difference: "converted" };
}

/** The number of decimal digits between each unit and the second. */
const UNIT_DIGITS: Readonly<Record<CountUnit, number>> = { seconds: 0, millis: 3, micros: 6, nanos: 9 };
const SECOND = 1_000_000_000n;

export function expectedTime(unit: CountUnit, literal: string): Expected {
  const { count, isCut } = scaled(decimalOf(literal), 9 - UNIT_DIGITS[unit]);
  const nanos = ((count % SECOND) + SECOND) % SECOND;
  const seconds = (count - nanos) / SECOND;
  if (seconds < -62_135_596_800n || seconds > 253_402_300_799n) return LOST;
  return { write: writeSpan(seconds, Number(nanos), false), ...(isCut && { difference: "converted" }) };
}

export function expectedDuration(unit: CountUnit, literal: string): Expected {
  const { count, isCut } = scaled(decimalOf(literal), 9 - UNIT_DIGITS[unit]);
  const limit = 315_576_000_000n * SECOND;
  if (count > limit || count < -limit) return LOST;
  return {
    write: writeSpan(count / SECOND, Number(count % SECOND), true),
    ...(isCut && { difference: "converted" }),
  };
}

/** The decoder writes the nanoseconds of a duration even if they are 0. */
function writeSpan(seconds: bigint, nanos: number, withZero: boolean): Expected["write"] {
  return (out, field) => {
    out.tag(field, 2).fork().tag(1, 0).int64(seconds);
    if (nanos !== 0 || withZero) out.tag(2, 0).int32(nanos);
    out.join();
  };
}

/** The expected google.protobuf.Value. */
export function expectedValue(literal: string): Expected {
  const isPlain = /^-?\d+$/.test(literal);
  const double = Number(literal);
  const integer = integerOf(decimalOf(literal));
  if (integer !== undefined && (isPlain ? !Number.isSafeInteger(double) : !Number.isFinite(double))) {
    return {
      write: (out, field) => out.tag(field, 2).fork().tag(3, 2).string(String(integer)).join(),
      difference: "converted",
    };
  }
  return { write: (out, field) => out.tag(field, 2).fork().tag(2, 1).double(double).join() };
}
