/** What generated code calls to put a cursor, found in a response, into the field of the next request. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { JsonValue } from "connect-rest-codec/internal";
import { instantFrom, numberFromText, type TimeRule } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";

/** @throws ConnectError CURSOR_INVALID */
export function cursorNumber(value: JsonValue): number {
  const number = typeof value === "string" ? numberFromText(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw invalid("an integer", value);
}

/** @throws ConnectError CURSOR_INVALID */
export function cursorBigInt(value: JsonValue): bigint {
  const number = typeof value === "string" ? numberFromText(value) : value;
  if (typeof number === "bigint" || (typeof number === "number" && Number.isSafeInteger(number))) {
    return BigInt(number);
  }
  throw invalid("an integer", value);
}

/** @throws ConnectError CURSOR_INVALID */
export function cursorTime(value: JsonValue, rule: TimeRule): Timestamp {
  const instant = instantFrom(value, rule);
  if (instant === undefined) throw invalid("a time", value);
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(instant.seconds), nanos: instant.nanos };
}

function invalid(expected: string, value: JsonValue) {
  const got = typeof value === "object" ? "no scalar" : JSON.stringify(String(value).slice(0, 40));
  return restError("CURSOR_INVALID", { expected, got });
}
