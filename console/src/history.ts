import type { DescMessage, DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { elementOf, fieldValue, withFieldValue } from "./element.ts";
import { isObject } from "./json.ts";
import { pathOf, type Schema } from "./schema.ts";

/** A call that was made. */
export interface Entry {
  /** The path of the method. */
  readonly path: string;
  /** The request without secret fields. */
  readonly message: JsonValue;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
  /** The time in milliseconds since 1970. */
  readonly at: number;
}

const KEY = "connect-rest.history";

/** The maximum number of calls, and of characters of one request, that are kept. */
const MAX_ENTRIES = 50;
const MAX_CHARACTERS = 10_000;

/**
 * The calls of a person who has signed in. They are kept in the memory of the page only, because the next
 * person at this browser may not be the same.
 */
let ofPerson: readonly Entry[] | undefined;

/** Keeps further calls in the memory of the page only. */
export function keepInMemory(): void {
  ofPerson ??= [];
}

/** Returns the kept calls, the newest first. */
export function history(): readonly Entry[] {
  if (ofPerson !== undefined) return ofPerson;
  try {
    const entries: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(entries) ? (entries.filter(isEntry) as Entry[]) : [];
  } catch {
    // the browser forbids storage, or something else has written to it
    return [];
  }
}

function isEntry(entry: unknown): boolean {
  const { path, message, outcome, at } = (entry ?? {}) as Partial<Record<keyof Entry, unknown>>;
  return (
    typeof path === "string" && message !== undefined && typeof outcome === "string" && typeof at === "number"
  );
}

/** Keeps a call in the browser, unless its request is large. */
export function remember(schema: Schema, method: DescMethod, message: JsonValue, outcome: string): void {
  const kept = withoutSecrets(schema, method.input, message);
  if (JSON.stringify(kept).length > MAX_CHARACTERS) return;
  const entry: Entry = { path: pathOf(method), message: kept, outcome, at: Date.now() };
  const entries = [entry, ...history()].slice(0, MAX_ENTRIES);
  if (ofPerson !== undefined) {
    ofPerson = entries;
    return;
  }
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // the browser forbids storage, or the storage is full
  }
}

export function forget(): void {
  if (ofPerson !== undefined) ofPerson = [];
  localStorage.removeItem(KEY);
}

/** Returns a message without the fields whose values must not be kept. */
export function withoutSecrets(schema: Schema, desc: DescMessage, json: JsonValue): JsonValue {
  if (!isObject(json)) return json;
  return desc.fields.reduce<JsonObject>((result, field) => {
    const value = fieldValue(field, json);
    if (value === undefined) return result;
    if (schema.isSecret(field)) return withFieldValue(result, field, undefined);
    const { message } = elementOf(field);
    if (message === undefined) return result;
    const clean = (item: JsonValue) => withoutSecrets(schema, message, item);
    if (Array.isArray(value)) return withFieldValue(result, field, value.map(clean));
    if (field.fieldKind === "map" && isObject(value)) {
      const entries = Object.entries(value).map(([key, item]) => [key, clean(item)] as const);
      return withFieldValue(result, field, Object.fromEntries(entries));
    }
    return withFieldValue(result, field, clean(value));
  }, json);
}

/** Returns the address that opens the method with a request, without sending it. */
export function linkTo(path: string, message: JsonValue): string {
  return `#/${path}?message=${encodeURIComponent(JSON.stringify(message))}`;
}
