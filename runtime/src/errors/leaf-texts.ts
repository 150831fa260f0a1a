import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { exactDecimal, isInteger, plainDigits } from "connect-rest-codec/internal";
import { isoText, isTime, protoSpan } from "../time/notation.ts";
import type { Leaf } from "./leaves.ts";

/** The maximum depth at which messages within bytes are searched. */
const MAX_DEPTH = 10;

/**
 * The minimum number of digits of a number that is found in a `bytes` value of unknown content. A shorter
 * number may be a boolean, an enum value or a count.
 */
const MIN_DIGITS = 6;

/**
 * Returns a value as ProtoJSON. For bytes, also returns their text and all strings and numbers that they may
 * contain.
 */
export function leafTexts(value: Leaf["value"]): string[] {
  if (typeof value === "string") return [value];
  if (value instanceof Uint8Array) return bytesTexts(value);
  return typeof value === "object" ? [timeText(value)] : numberTexts(value);
}

/** Returns the notations of a number: as JavaScript prints it, and without an exponent. */
export function numberTexts(value: number | bigint): string[] {
  const text = String(value);
  const exact = text.includes("e") ? exactDecimal(text) : undefined;
  if (exact === undefined) return [text];
  const plain = isInteger(exact)
    ? plainDigits(exact)
    : `${exact.sign}0.${exact.digits.padStart(-exact.exponent, "0")}`;
  return [text, text.replace("+", ""), plain];
}

function timeText(value: Timestamp | Duration): string {
  if (value.$typeName === "google.protobuf.Duration") return protoSpan(value);
  return isTime(value) ? isoText(value) : String(value.seconds);
}

/**
 * Returns the strings and numbers in bytes that may be a message. Without the message type, strings and
 * nested messages look alike.
 */
export function bytesTexts(bytes: Uint8Array, depth: number = MAX_DEPTH): string[] {
  const texts = [Buffer.from(bytes).toString("utf8")];
  const reader = new BinaryReader(bytes);
  try {
    while (depth > 0 && reader.pos < reader.len) {
      const [no, type] = reader.tag();
      if (type === WireType.LengthDelimited) {
        texts.push(...bytesTexts(reader.bytes(), depth - 1));
      } else {
        texts.push(...wireNumbers(type, reader.skip(type, no)));
      }
    }
  } catch {
    // the bytes are not a message, or only the first of them are
  }
  return texts;
}

function wireNumbers(type: WireType, data: Uint8Array): string[] {
  const read = () => new BinaryReader(data);
  const numbers =
    type === WireType.Varint
      ? [read().uint64(), read().int64(), read().sint64()]
      : type === WireType.Bit64
        ? [read().fixed64(), read().sfixed64(), read().double()]
        : type === WireType.Bit32
          ? [read().fixed32(), read().sfixed32(), read().float()]
          : [];
  const texts = numbers.flatMap((number) => (typeof number === "string" ? [number] : numberTexts(number)));
  return texts.filter((text) => text.length >= MIN_DIGITS);
}
