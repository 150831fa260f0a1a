import { expect } from "vitest";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { completeRules } from "../../runtime/src/adapter/default-rules.ts";
import type { RestResponse } from "../../runtime/src/adapter/rest-response.ts";
import { decodeListValue, decodeStruct, decodeValue } from "../../runtime/src/decode/dynamic.ts";
import { EnumTable } from "../../runtime/src/decode/enum-table.ts";
import type { ProtoWriter } from "../../runtime/src/decode/proto-writer.ts";
import type { ScalarKind } from "../../runtime/src/decode/scalar-writer.ts";
import type { JsonObject, JsonValue } from "../../runtime/src/json/json.ts";
import { type ScanKind, scannable } from "../../runtime/src/scan/scan-table.ts";
import { decoded, type Outcome, scanned } from "./both.ts";

/** How generated code calls the writer for a field. */
export type Write = (value: JsonValue | undefined, out: ProtoWriter) => void;

const COLOR = new EnumTable("Color", [
  [0, "NONE"],
  [1, "red", "RED"],
  [2, "blue", "42"],
  [-1, "minus"],
]);

export function decodeInner(json: JsonObject, out: ProtoWriter): void {
  out.string(1, json.text, "text");
  out.unknown(9, json, new Set(["text"]));
}
scannable(decodeInner, () => [[1, "string", "text"], { unknown: 9 }]);

const SCALARS: readonly ScalarKind[] = [
  "string", "textBytes", "bytes", "bool", "double", "float", "int32", "sint32", "uint32", "fixed32", "sfixed32", "int64",
  "sint64", "uint64", "fixed64", "sfixed64",
]; // biome-ignore format: a table

/** How a field is read: as the scanner's table has it, and as generated code calls the writer. */
export const KINDS: ReadonlyArray<readonly [name: string, kind: ScanKind, write: Write]> = [
  ...SCALARS.flatMap((kind): Array<readonly [string, ScanKind, Write]> => {
    return [
      [kind, kind, (value, out) => out[kind](7, value, "key")],
      [`list of ${kind}`, { list: kind }, (value, out) => out.list(7, value, "key", kind)],
      [`wrapper of ${kind}`, { wrapper: kind }, (value, out) => out.wrapper(7, value, "key", kind)],
      [
        `map of ${kind}`,
        { map: kind },
        (value, out) =>
          out.map(7, value, "key", "string", (item, key, entry) => entry[kind](2, item as JsonValue, key)),
      ],
    ];
  }),
  ["enum", COLOR, (value, out) => out.enum(7, value, "key", COLOR)],
  ["list of enum", { list: COLOR }, (value, out) => out.enums(7, value, "key", COLOR)],
  ...(["seconds", "millis", "micros", "nanos", "iso8601", "http_date"] as const).map(
    (time): readonly [string, ScanKind, Write] => [
      time,
      { time },
      (value, out) => out.time(7, value, "key", time),
    ],
  ),
  ["time or 0", { time: "seconds", none: "0" }, (value, out) => out.time(7, value, "key", "seconds", "0")],
  ["date or x", { time: "iso8601", none: "x" }, (value, out) => out.time(7, value, "key", "iso8601", "x")],
  ["message", decodeInner, (value, out) => out.message(7, value, "key", decodeInner)],
  [
    "loose message",
    { loose: decodeInner },
    (value, out) => out.loosely("key").message(7, value, "key", decodeInner),
  ],
  ["messages", { list: decodeInner }, (value, out) => out.messages(7, value, "key", decodeInner)],
  [
    "loose messages",
    { loose: { list: decodeInner } },
    (value, out) => out.loosely("key").messages(7, value, "key", decodeInner),
  ],
  ["loose int32", { loose: "int32" }, (value, out) => out.loosely("key").int32(7, value, "key")],
  ["struct", decodeStruct, (value, out) => out.message(7, value, "key", decodeStruct)],
  ["value", decodeValue, (value, out) => out.nullable(7, value, "key", decodeValue)],
  ["list value", decodeListValue, (value, out) => out.wrapped(7, value, "key", decodeListValue)],
  [
    "unwrapped list",
    { unwrap: [1, { list: "string" }] },
    (value, out) => out.wrapped(7, value, "key", (items, inner) => inner.list(1, items, "", "string")),
  ],
];

/** A method whose response is a message with one field, under one of two keys. */
export function method(kind: ScanKind, write: Write): UnaryAdapter {
  const known = new Set(["key", "other"]);
  const decode = (json: JsonObject, out: ProtoWriter) => {
    write(json.key ?? json.other, out);
    out.unknown(8, json, known);
  };
  scannable(decode, () => [[7, kind, "key", "other"], { unknown: 8 }]);
  return {
    kind: "unary",
    rules: completeRules({ upstream: "api" }),
    response: ({ payload }: RestResponse, out: ProtoWriter) => out.root(payload, decode),
    scan: decode,
    method: {},
  } as unknown as UnaryAdapter;
}

/** The kind of a name, as a method. */
export function methodOf(name: string): UnaryAdapter {
  const [, kind, write] = KINDS.find(([each]) => each === name) ?? [];
  if (kind === undefined || write === undefined) throw new Error(`no kind ${name}`);
  return method(kind, write);
}

/** What a field of a kind is read as from a JSON value, as the decoder has to read it, too; undefined where the scanner leaves it to the decoder. */
export function read(name: string, token: string): Outcome | undefined {
  const body = Buffer.from(`{"key":${token}}`);
  const adapter = ADAPTERS.get(name) ?? methodOf(name);
  ADAPTERS.set(name, adapter);
  const found = scanned(adapter, body);
  if (found !== undefined) expect(found, token).toEqual(decoded(adapter, body));
  return found;
}

const ADAPTERS = new Map<string, UnaryAdapter>();
