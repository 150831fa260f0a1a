/**
 * Decodes google.protobuf.Any, whose JSON names a type. If the type is unknown or the content does not fit
 * the type, the Any contains a google.protobuf.Struct of the JSON, including `@type`. Every client can read a
 * Struct.
 */
import {
  type DescMessage,
  fromJson,
  type JsonValue as ProtoJsonValue,
  type Registry,
} from "@bufbuild/protobuf";
import { AnySchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { parseWithKeys } from "../json/escaped-keys.ts";
import { type JsonObject, type JsonValue, plainNumber } from "../json/json.ts";
import { sizeUpTo } from "../json/json-size.ts";
import { rawJson } from "../json/raw-json.ts";
import { decodeStruct } from "./dynamic.ts";
import { knownTypes } from "./known-types.ts";
import type { Decode, ProtoWriter } from "./proto-writer.ts";
import { findSurplus } from "./surplus.ts";

/**
 * The maximum number of values in content that is decoded as the named type. Larger content is kept as a
 * google.protobuf.Struct, since protobuf-es cannot read a message in parts.
 */
const MAX_VALUES = 20_000;

const STRUCT_URL = `type.googleapis.com/${StructSchema.typeName}`;

/**
 * Returns the decoder of google.protobuf.Any. Content that does not decode as the named type is kept as a
 * Struct.
 */
export function decodeAny(types: () => Registry): Decode {
  return (json, out) => {
    out.allKeys(json);
    if (sizeUpTo(json, MAX_VALUES) > MAX_VALUES) {
      out.coerce("", `google.protobuf.Any of at most ${MAX_VALUES} values`, json);
      keepAsStruct(json, out);
      return;
    }
    if (rawJson(json).rounded) out.rounded("", "exact integers", json);
    const { "@type": url, ...fields } = json;
    // an empty Any, which ProtoJSON writes as `{}`
    if (url === undefined && Object.keys(fields).length === 0) return;
    const registry = knownTypes(types());
    const desc = typeof url === "string" ? registry.getMessage(typeNameOf(url)) : undefined;
    if (desc === undefined) {
      out.coerce("@type", "a known type", typeof url === "string" ? typeNameOf(url) : url);
      keepAsStruct(json, out);
    } else if (!decodeKnown(desc, json, fields, registry, out)) {
      out.coerce("", `google.protobuf.Any of ${desc.typeName}`, json);
      keepAsStruct(json, out);
    }
  };
}

function decodeKnown(
  desc: DescMessage,
  json: JsonObject,
  fields: JsonObject,
  registry: Registry,
  out: ProtoWriter,
): boolean {
  const { keys, bigNumbers, doubles, isMistyped } = findSurplus(desc, fields, registry);
  if (isMistyped) return false;
  try {
    const any = fromJson(AnySchema, plainJson(json, doubles), { registry, ignoreUnknownFields: true });
    out.string(1, any.typeUrl, "@type");
    out.rawBytes(2, any.value);
  } catch {
    return false;
  }
  for (const [key, value] of keys) out.additional(key, value);
  for (const [path, value] of bigNumbers) out.coerce(path, "an integer up to 2^53, or a double", value);
  return true;
}

/** Writes a Struct of the JSON as the content of the Any. */
function keepAsStruct(json: JsonObject, out: ProtoWriter): void {
  out.string(1, STRUCT_URL, "@type");
  out.message(2, json, "", decodeStruct);
}

/** Returns the full name of the type in a type URL. */
export function typeNameOf(url: string): string {
  return url.slice(url.lastIndexOf("/") + 1);
}

const NO_DOUBLES: ReadonlySet<unknown> = new Set();

/**
 * Converts JSON for protobuf-es, which expects 64-bit integers as strings, not as bigints.
 *
 * @param doubles the numbers that are doubles, even if they are large integers
 */
export function plainJson(json: JsonValue, doubles: ReadonlySet<unknown> = NO_DOUBLES): ProtoJsonValue {
  const text = JSON.stringify(json, function (this: Record<string, unknown>, key, value: unknown) {
    // `value` is already the result of toJSON; `this[key]` is the original
    const given = this[key];
    const own = plainNumber(given);
    if (doubles.has(given)) return Number(own);
    if (typeof own === "bigint") return String(own);
    return typeof own === "number" ? own : value;
  });
  return parseWithKeys(text) as ProtoJsonValue;
}
