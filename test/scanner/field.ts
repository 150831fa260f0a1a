import { expect } from "vitest";
import { decodeValue } from "../../codec/src/decode/dynamic.ts";
import type { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import type { JsonObject, JsonValue } from "../../codec/src/json/json.ts";
import type { ScalarKind } from "../../codec/src/table/kinds.ts";
import { type Kind, table } from "../../codec/src/table/message-table.ts";
import { ValueTable } from "../../codec/src/table/well-known.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { decoded, methodReadBy, type Outcome, scanned } from "./both.ts";

/** How the writer is called for a field. */
export type Write = (value: JsonValue | undefined, out: ProtoWriter) => void;

/** A method whose response is a message with one field, under one of two keys. */
export function method(kind: Kind, write: Write): UnaryAdapter {
  const known = new Set(["key", "other"]);
  const decode = (json: JsonObject, out: ProtoWriter) => {
    write(json.key ?? json.other, out);
    out.unknown(8, json, known);
  };
  return methodReadBy(
    table("test.Field", () => [[7, kind, "key", "other"], { unknown: 8 }]),
    decode,
  );
}

type Name = ScalarKind | "value";

const METHODS = new Map<Name, UnaryAdapter>();

/** A method whose field is of a scalar type, or a google.protobuf.Value. */
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
 * What the scanner reads a value as, which the decoder has to read alike;
 * undefined where it leaves it to the decoder.
 */
export function read(kind: Name, token: string): Outcome | undefined {
  const body = Buffer.from(`{"key":${token}}`);
  const found = scanned(methodOf(kind), body);
  if (found !== undefined) expect(found, token).toEqual(decoded(methodOf(kind), body));
  return found;
}
