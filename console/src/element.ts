import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import { formatJson, parseJson, withKey } from "./json.ts";

/** The type of one value: of a singular field, of a list item, or of a map value. */
export interface Element {
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
  readonly message?: DescMessage | undefined;
}

/** How a value is edited. */
export type Control = "text" | "number" | "bool" | "bytes" | "enum" | "time" | "json" | "message";

/** Messages whose ProtoJSON is one string. */
const TEXT_MESSAGES: ReadonlySet<string> = new Set([
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
  "google.protobuf.FieldMask",
]);

/** Messages whose ProtoJSON is any JSON. */
const JSON_MESSAGES: ReadonlySet<string> = new Set([
  "google.protobuf.Any",
  "google.protobuf.ListValue",
  "google.protobuf.Struct",
  "google.protobuf.Value",
]);

const BIG: ReadonlySet<ScalarType> = new Set([
  ...[ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64],
  ...[ScalarType.FIXED64, ScalarType.SFIXED64],
]);

/** A number in JSON. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the type of a field's value, of its list items, or of its map values. */
export function elementOf(field: DescField): Element {
  return field as Element;
}

export function controlOf(element: Element): Control {
  const { message, scalar } = element;
  if (message !== undefined) {
    const inner = wrapped(message);
    if (inner !== undefined) return controlOf(inner);
    if (JSON_MESSAGES.has(message.typeName)) return "json";
    if (message.typeName === "google.protobuf.Timestamp") return "time";
    return TEXT_MESSAGES.has(message.typeName) ? "text" : "message";
  }
  if (element.enum !== undefined) return element.enum.typeName === NULL_VALUE ? "json" : "enum";
  if (scalar === ScalarType.BOOL) return "bool";
  if (scalar === ScalarType.BYTES) return "bytes";
  return scalar === ScalarType.STRING ? "text" : "number";
}

const NULL_VALUE = "google.protobuf.NullValue";

/** Returns the field of a wrapper such as google.protobuf.Int32Value, whose ProtoJSON is the bare value. */
function wrapped(message: DescMessage): DescField | undefined {
  const isWrapper = /^google\.protobuf\.(?:U?Int\d+|Float|Double|Bool|String|Bytes)Value$/.test(
    message.typeName,
  );
  return isWrapper ? message.fields[0] : undefined;
}

/** Returns whether a value must be a string in JSON, since a number would lose digits. */
export function isBig({ scalar, message }: Element): boolean {
  const inner = message === undefined ? scalar : wrapped(message)?.scalar;
  return inner !== undefined && BIG.has(inner);
}

/** Returns whether a field distinguishes an empty value from an absent one. */
export function hasPresence(field: DescField): boolean {
  return field.presence !== 3 && field.fieldKind !== "list" && field.fieldKind !== "map";
}

/** Returns the value of a field in a message's ProtoJSON; undefined if the field is absent. */
export function fieldValue(field: DescField, json: JsonObject): JsonValue | undefined {
  const value = Object.hasOwn(json, field.jsonName) ? json[field.jsonName] : json[field.name];
  return value === null && !acceptsNull(elementOf(field)) ? undefined : value;
}

function acceptsNull(element: Element): boolean {
  return element.message?.typeName === "google.protobuf.Value" || element.enum?.typeName === NULL_VALUE;
}

/** Returns the ProtoJSON of a message with another value of a field; without the field if it is undefined. */
export function withFieldValue(json: JsonObject, field: DescField, value: JsonValue | undefined): JsonObject {
  const { jsonName, name } = field;
  const isAlias = jsonName !== name && !Object.hasOwn(json, jsonName) && Object.hasOwn(json, name);
  return withKey(json, isAlias ? name : jsonName, value);
}

/** Returns the field of a oneof that is set. */
export function caseOf(oneof: DescOneof, json: JsonObject): DescField | undefined {
  return oneof.fields.find((field) => fieldValue(field, json) !== undefined);
}

/** Returns the ProtoJSON of a message with another case of a oneof. */
export function withCase(json: JsonObject, oneof: DescOneof, chosen: DescField | undefined): JsonObject {
  const others = oneof.fields.filter((field) => field !== chosen);
  const without = others.reduce((object, field) => withFieldValue(object, field, undefined), json);
  if (chosen === undefined || fieldValue(chosen, without) !== undefined) return without;
  return withFieldValue(without, chosen, initialValue(elementOf(chosen)));
}

/** Returns the first value of a list item, a map value, or a field that becomes present. */
export function initialValue(element: Element): JsonValue {
  switch (controlOf(element)) {
    case "message":
      return {};
    case "json":
      return acceptsNull(element)
        ? null
        : element.message?.typeName === "google.protobuf.ListValue"
          ? []
          : {};
    case "bool":
      return false;
    case "number":
      return isBig(element) ? "0" : 0;
    case "enum":
      return element.enum?.values[0]?.name ?? 0;
    case "time":
      return "1970-01-01T00:00:00Z";
    default:
      return element.message?.typeName === "google.protobuf.Duration" ? "0s" : "";
  }
}

/** Returns the text of a value in its input. */
export function shown(element: Element, value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (controlOf(element) === "json") return formatJson(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Returns the value of an input's text. A text of a wrong type stays as it is, so that its input shows the
 * problem.
 *
 * @throws SyntaxError for a text that must be JSON
 */
export function read(element: Element, text: string): JsonValue {
  switch (controlOf(element)) {
    case "json":
      return parseJson(text);
    case "bool":
      return text === "true" || text === "false" ? text === "true" : text;
    case "number":
      // a text such as "1.0" stays as it is, so that the user can continue to "1.05"
      return !isBig(element) && NUMBER.test(text) && String(Number(text)) === text ? Number(text) : text;
    case "enum":
      return /^-?\d+$/.test(text) ? Number(text) : text;
    default:
      return text;
  }
}
