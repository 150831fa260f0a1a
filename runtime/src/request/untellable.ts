/**
 * Marks JSON that parameters with brackets cannot distinguish from other JSON. The code that writes the JSON
 * of a message sets the marks, since only that code can distinguish messages from map values: for a message,
 * absent and empty mean the same.
 */
import { isJsonObject, type JsonValue } from "connect-rest-codec/internal";
import type { ValueProblem } from "./invalid-value.ts";

const UNTELLABLE = new WeakMap<object, ValueProblem>();

/** The problem with an item or entry that has no parameter. */
export const EMPTY: ValueProblem = {
  problem: "has an empty item or entry, which has no parameter",
  remedy: "leave it out, or set something in it",
};

const LIKE_A_LIST: ValueProblem = {
  problem: 'has an object with the key "0", which is read as a list',
  remedy: "send a list, or use another key",
};

/** Returns the reason why parameters cannot express an object or a list, or undefined if they can. */
export function untellable(value: object): ValueProblem | undefined {
  return UNTELLABLE.get(value);
}

/** Marks the parts of a google.protobuf.Value, or of raw JSON, that parameters cannot express. */
export function markAny<T extends JsonValue>(value: T): T {
  if (isContainer(value) && Object.keys(value).length === 0) UNTELLABLE.set(value, EMPTY);
  return markItems(value);
}

/** Marks the items and entries of any JSON, at any depth, that parameters cannot express. */
export function markItems<T extends JsonValue>(value: T): T {
  const containers = isContainer(value) ? [value as JsonValue & object] : [];
  for (const container of containers) {
    if (!Array.isArray(container) && Object.hasOwn(container, "0")) UNTELLABLE.set(container, LIKE_A_LIST);
    for (const item of Object.values(container) as JsonValue[]) {
      if (!isContainer(item)) continue;
      if (Object.keys(item).length === 0) UNTELLABLE.set(item, EMPTY);
      containers.push(item);
    }
  }
  return value;
}

/** Returns a map of messages as a JSON object, and marks the entries for which there is no parameter. */
export function entriesJson<T>(
  entries: Readonly<Record<string, T>>,
  write: (value: T) => JsonValue,
): JsonValue {
  const json = Object.entries(entries).map(([key, value]) => [key, write(value)] as const);
  for (const [, value] of json) if (isContainer(value) && isHollow(value)) UNTELLABLE.set(value, EMPTY);
  return Object.fromEntries(json);
}

function isContainer(value: JsonValue): value is JsonValue & object {
  return Array.isArray(value) || isJsonObject(value);
}

/** Reports whether an object or list is empty at every depth. */
function isHollow(value: JsonValue): boolean {
  const values = [value];
  for (const each of values) {
    if (!isContainer(each)) return false;
    for (const item of Object.values(each) as JsonValue[]) values.push(item);
  }
  return true;
}
