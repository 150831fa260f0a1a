/** Functions with which generated code writes google.protobuf.Struct, Value and ListValue. */
import type { JsonObject as ProtoJsonObject, JsonValue as ProtoJsonValue } from "@bufbuild/protobuf";
import type { ListValue, Struct, Value } from "@bufbuild/protobuf/wkt";
import type { JsonValue } from "connect-rest-codec/internal";
import { invalidParameter } from "./invalid-value.ts";
import { markAny, markItems } from "./untellable.ts";

/**
 * Encodes a google.protobuf.Struct that protobuf-es represents as plain JSON.
 *
 * @throws ConnectError INVALID_ARGUMENT for NaN and Infinity, which would become null
 */
export function plainJson(value: ProtoJsonObject): JsonValue {
  if (!hasFiniteNumbers(value)) throw unsayable("google.protobuf.Struct", value);
  return markItems(value);
}

function hasFiniteNumbers(value: ProtoJsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return (Array.isArray(value) ? value : Object.values(value)).every(hasFiniteNumbers);
}

/**
 * Encodes a google.protobuf.Struct that protobuf-es represents as a message.
 *
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `valueJson`
 */
export function structJson(value: Struct): JsonValue {
  return markItems(structOf(value, { type: "google.protobuf.Struct", value }));
}

/**
 * Encodes a google.protobuf.Value.
 *
 * @throws ConnectError INVALID_ARGUMENT for values that JSON cannot express: a Value without a kind, NaN,
 *   Infinity
 */
export function valueJson(value: Value): JsonValue {
  return markAny(anyOf(value, { type: "google.protobuf.Value", value }));
}

/**
 * Encodes a google.protobuf.ListValue.
 *
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `valueJson`
 */
export function listJson(value: ListValue): JsonValue {
  return markItems(listOf(value, { type: "google.protobuf.ListValue", value }));
}

/** The message that contains a value, for error messages. */
interface Whole {
  readonly type: string;
  readonly value: unknown;
}

function structOf({ fields }: Struct, whole: Whole): JsonValue {
  // fromEntries makes `__proto__` an own key of the object
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, anyOf(value, whole)]));
}

function listOf({ values }: ListValue, whole: Whole): JsonValue {
  return values.map((value) => anyOf(value, whole));
}

function anyOf({ kind }: Value, whole: Whole): JsonValue {
  switch (kind.case) {
    case "structValue":
      return structOf(kind.value, whole);
    case "listValue":
      return listOf(kind.value, whole);
    case "nullValue":
      return null;
    case "numberValue":
      if (Number.isFinite(kind.value)) return kind.value;
      break;
    case "stringValue":
    case "boolValue":
      return kind.value;
  }
  throw unsayable(whole.type, whole.value);
}

function unsayable(type: string, value: unknown): Error {
  const problem = {
    problem: "cannot be represented in JSON",
    remedy: "send values with a kind, and finite numbers",
  };
  return invalidParameter(type, "body", problem, { value });
}
