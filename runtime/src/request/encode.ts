/** Functions with which generated code writes request messages as JSON, queries and headers. */
import {
  isJsonObject,
  type JsonValue,
  jsonTypeOf,
  NumberText,
  ownValue,
  parseJson,
  parseJsonVerbatim,
  stringifyJson,
} from "connect-rest-codec/internal";
import { invalidParameter } from "./invalid-value.ts";
import { utf8Text } from "./parameters.ts";
import type { PathValue } from "./path-segment.ts";
import { markAny } from "./untellable.ts";

const MINUS_ZERO = new NumberText("-0", -0);

/** A JSON object under construction. */
export interface JsonRecord {
  [key: string]: JsonValue;
}

/** Sets an own key of the object, even if objects inherit the key, such as `__proto__`. */
export function setOwn(json: JsonRecord, key: string, value: JsonValue): void {
  Object.defineProperty(json, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * Sets the discriminator of a oneof, unless another field of the message has set its key.
 *
 * @param values the values that select the member, as strings
 * @param value the value of the other field in the message, for the error
 * @throws ConnectError INVALID_ARGUMENT if the key has a value that does not select the member
 */
export function setDiscriminator(
  json: JsonRecord,
  discriminator: string,
  wire: JsonValue,
  values: readonly string[],
  value: unknown,
): void {
  const own = ownValue(json, discriminator);
  const isOther = own !== undefined && !values.includes(jsonText(own));
  if (isOther) throw otherMember(discriminator, own, "unset this field, or set that member", value);
  if (own === undefined) setOwn(json, discriminator, wire);
}

/** Returns a JSON value as text. A string and a number with the same notation are the same text. */
function jsonText(value: JsonValue): string {
  return typeof value === "string" ? value : stringifyJson(value);
}

/**
 * Sets all keys of a oneof member in the object that contains the oneof.
 *
 * @param value the member in the message, for the error
 * @throws ConnectError INVALID_ARGUMENT if a key already has another value
 */
export function setAll(json: JsonRecord, member: JsonValue, value: unknown): void {
  if (!isJsonObject(member)) return;
  for (const [key, each] of Object.entries(member)) {
    if (each === undefined) continue;
    const own = ownValue(json, key);
    const isOther = own !== undefined && jsonText(own) !== jsonText(each);
    if (isOther) throw otherValue(key, own, value);
    setOwn(json, key, each);
  }
}

/**
 * Sets all keys of a oneof member in the object that contains the discriminator.
 *
 * @param value the member in the message, for the error
 * @throws ConnectError INVALID_ARGUMENT if the member contains the key of the discriminator with another
 *   value
 */
export function setMember(
  json: JsonRecord,
  discriminator: string,
  wire: JsonValue,
  member: JsonValue,
  value: unknown,
): void {
  const own = isJsonObject(member) ? ownValue(member, discriminator) : undefined;
  const isOther = own !== undefined && own !== wire;
  if (isOther) throw otherMember(discriminator, own, "send the value of the member", value);
  if (ownValue(json, discriminator) === undefined) setOwn(json, discriminator, wire);
  setAll(json, member, value);
}

/**
 * Sets all keys of the oneof member that stands for unknown members.
 *
 * @param known the discriminators of the other members
 * @param value the member in the message, for the error
 * @throws ConnectError INVALID_ARGUMENT if its discriminator belongs to another member
 */
export function setFallback(
  json: JsonRecord,
  discriminator: string,
  known: readonly JsonValue[],
  member: JsonValue,
  value: unknown,
): void {
  const own = isJsonObject(member) ? ownValue(member, discriminator) : undefined;
  checkFallback(discriminator, known, own, value);
  setAll(json, member, value);
}

/** @throws ConnectError INVALID_ARGUMENT in the same cases as `setFallback` */
export function checkFallback(
  discriminator: string,
  known: readonly JsonValue[],
  own: JsonValue | undefined,
  value: unknown,
): void {
  const isOther = own !== undefined && known.includes(own);
  if (isOther) throw otherMember(discriminator, own, "set that member", value);
}

/**
 * Returns the JSON of a oneof member that replaces its message.
 *
 * @param types the JSON types from which a receiver recognizes the member
 * @param value the member in the message, for the error
 * @throws ConnectError INVALID_ARGUMENT if the JSON has another type, from which a receiver would recognize
 *   another member
 */
export function memberOfTypes(
  json: JsonValue,
  name: string,
  types: readonly string[],
  value: unknown,
): JsonValue {
  const type = jsonTypeOf(json);
  if (types.includes(type)) return json;
  const problem = `is written as a JSON value of type ${type}, which chooses another member of its oneof`;
  const remedy = `send a value that is written as ${types.join(" or ")}`;
  throw invalidParameter(name, "body", { problem, remedy }, { value });
}

/**
 * Returns the text of a oneof member that replaces its message in a parameter.
 *
 * @param types the JSON types from which a receiver recognizes the member
 * @param all the JSON types of all members
 * @param value the member in the message, for the error
 * @throws ConnectError INVALID_ARGUMENT if a receiver may read the text as a number or boolean, and thus
 *   recognize another member
 */
export function memberText(
  text: PathValue,
  name: string,
  types: readonly string[],
  all: readonly string[],
  value: unknown,
): PathValue {
  const type = textType(String(text), all);
  if (types.includes(type)) return text;
  const problem = `is read as a ${type}, which chooses another member of its oneof`;
  throw invalidParameter(name, "request", { problem, remedy: "set that member" }, { value });
}

/**
 * Returns the JSON type as which a receiver may read a text. Some receivers read `1e3`, `0x1F` and `" 5"` as
 * numbers.
 */
function textType(text: string, all: readonly string[]): string {
  const isNumber = text.trim() !== "" && !Number.isNaN(Number(text));
  if (all.includes("number") && isNumber) return "number";
  return all.includes("boolean") && /^\s*(?:true|false)\s*$/i.test(text) ? "boolean" : "string";
}

/**
 * Returns the INVALID_ARGUMENT error for a message whose JSON is the value of a oneof member, if no member is
 * set.
 */
export function noMember(oneof: string, message: unknown): Error {
  const problem = {
    problem: "has no member set, so that there is no value",
    remedy: "set one, or leave the message out",
  };
  return invalidParameter(oneof, "request", problem, { value: message });
}

function otherMember(discriminator: string, own: JsonValue, remedy: string, value: unknown): Error {
  const problem = `${stringifyJson(own)} chooses another member of the oneof`;
  return invalidParameter(discriminator, "body", { problem, remedy }, { value });
}

function otherValue(key: string, own: JsonValue, value: unknown): Error {
  const problem = `has the key \`${key}\`, which another field of the message sets to ${stringifyJson(own)}`;
  return invalidParameter(key, "body", { problem, remedy: "send equal values, or unset one" }, { value });
}

/** Adds unknown keys to an object. Keys of declared fields take precedence. */
export function addUnknown(json: JsonRecord, entries: Readonly<Record<string, JsonValue>>): void {
  for (const [key, value] of Object.entries(entries)) if (!Object.hasOwn(json, key)) setOwn(json, key, value);
}

/**
 * Returns the items of an array up to the last item that is set, with null for unset items.
 *
 * @param collections the indexes of lists and maps that are left out at the end if they are empty
 */
export function tupleJson(
  items: ReadonlyArray<JsonValue | undefined>,
  collections: readonly number[] = [],
): JsonValue {
  const isSet = (item: JsonValue | undefined, index: number) =>
    item !== undefined && !(collections.includes(index) && holdsNothing(item));
  return items.slice(0, items.findLastIndex(isSet) + 1).map((item) => item ?? null);
}

/** Reports whether a list, a map or a comma-separated list is empty. */
function holdsNothing(value: JsonValue): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/** Encodes bytes as base64 (RFC 4648 section 4). */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Encodes bytes as base64 with the URL-safe alphabet and without padding (RFC 4648 section 5). */
export function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url");
}

/**
 * Decodes raw bytes as the content of a JSON string.
 *
 * @throws ConnectError INVALID_ARGUMENT if they are not UTF-8
 */
export function rawText(bytes: Uint8Array): string {
  return utf8Text("bytes", "body", bytes);
}

/**
 * Removes a value from a body because the URL path contains it.
 *
 * @param path the dotted path of the value in the body
 */
export function omit(json: JsonRecord, path: string): void {
  const steps = path.split(".");
  const last = steps.pop();
  let holder: JsonValue | undefined = json;
  // follows own keys only, since `__proto__` would lead to the prototype shared by all objects
  for (const step of steps) holder = isJsonObject(holder) ? ownValue(holder, step) : undefined;
  if (last !== undefined && isJsonObject(holder)) delete (holder as JsonRecord)[last];
}

/**
 * Returns a double as a JSON value. Values that JSON numbers cannot express become the strings of ProtoJSON.
 */
export function doubleJson(value: number): JsonValue {
  // JSON.stringify would drop the sign of -0
  if (Object.is(value, -0)) return MINUS_ZERO;
  return Number.isFinite(value) ? value : String(value);
}

/**
 * Parses the collected unknown keys of a message, which are sent back unchanged.
 *
 * @throws ConnectError INVALID_ARGUMENT if a value is not JSON
 */
export function rawEntries(entries: Readonly<Record<string, string>>): JsonRecord {
  return Object.fromEntries(
    Object.entries(entries).map(([key, text]) => [key, markAny(rawEntry(entries, key, text))]),
  );
}

function rawEntry(value: unknown, key: string, text: string): JsonValue {
  try {
    return parseJsonVerbatim(text) ?? parseJson(text) ?? null;
  } catch {
    const problem = { problem: "is not JSON", remedy: "send the text of a JSON value" };
    throw invalidParameter(key, "body", problem, { value, key });
  }
}
