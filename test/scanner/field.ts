import { expect } from "vitest";
import { decodeValue } from "../../codec/src/decode/dynamic.ts";
import type { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import type { JsonObject, JsonValue } from "../../codec/src/json/json.ts";
import type { ScalarKind } from "../../codec/src/table/kinds.ts";
import { type Kind, table } from "../../codec/src/table/message-table.ts";
import { ValueTable } from "../../codec/src/table/well-known.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { decoded, methodReadBy, type Outcome, scanned } from "./both.ts";

/** The hand-written decoder of a field. */
export type Write = (value: JsonValue | undefined, out: ProtoWriter) => void;

/** Returns an adapter of a method whose response is a message with one field, under one of two keys. */
export function method(kind: Kind, write: Write): UnaryAdapter {
  const known = new Set(["key", "other"]);
  const decode = (json: JsonObject, out: ProtoWriter) => {
    // null is the value of some fields, unless the other key has a value
    const value = json.key ?? json.other;
    write(value === undefined && json.key === null ? null : value, out);
    out.unknown(8, json, known);
  };
  return methodReadBy(
    table("test.Field", () => [[7, kind, "key", "other"], { unknown: 8 }]),
    decode,
  );
}

type Name = ScalarKind | "value";

const METHODS = new Map<Name, UnaryAdapter>();

/** Returns an adapter of a method whose field has a scalar type or is a google.protobuf.Value. */
export function methodOf(kind: Name): UnaryAdapter {
  const known = METHODS.get(kind);
  if (known !== undefined) return known;
  const made =
    kind === "value"
      ? method(ValueTable, (value, out) => out.nullable(7, value, "key", decodeValue))
      : method(kind, (value, out) => out[kind](7, value, "key"));
  METHODS.set(kind, made);
  return made;
}

/**
 * Returns the scanner's result for a value, which must equal the decoder's; undefined if the scanner leaves
 * the value to the decoder.
 */
export function read(kind: Name, token: string): Outcome | undefined {
  const body = Buffer.from(`{"key":${token}}`);
  const found = scanned(methodOf(kind), body);
  if (found !== undefined) expect(found, token).toEqual(decoded(methodOf(kind), body));
  return found;
}
