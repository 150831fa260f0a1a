/** Determines the keys of an object that the entries of a table read. */
import type { JsonObject } from "../json/json.ts";
import { declaredText, stepsOf, stepText } from "../json/path-text.ts";
import { type KeyTree, keyTree } from "./key-tree.ts";
import {
  type ChoiceCase,
  type ChoiceEntry,
  choiceMembers,
  type Entry,
  type FieldEntry,
  isField,
  type Key,
  MessageTable,
} from "./message-table.ts";
import { ListValueTable, StructTable, ValueTable } from "./well-known.ts";

/** The oneof members with separate keys: each has a field number and the paths that it is read from. */
export type OneofMembers = ReadonlyArray<readonly [field: number, ...paths: string[]]>;

/** Returns the key of the object with which the path to a value begins. */
export function firstKey(key: Key): string {
  return typeof key === "string" ? key : (stepsOf(key.path)[0] ?? "");
}

/** Returns the name of a field in reports: the first of its names, or all of its paths. */
export function reportedAs(keys: readonly Key[]): string {
  const [first = ""] = keys;
  if (typeof first === "string") return first === "" ? "" : stepText(first);
  return keys.map((key) => (typeof key === "string" ? stepText(key) : declaredText(key.path))).join(" or ");
}

/** Returns a key as a dotted path. */
export function pathOf(key: Key): string {
  if (typeof key !== "string") return key.path;
  return key.includes(".") ? `'${key}'` : key;
}

/**
 * Returns the keys of the object that a message reads, except the keys of other messages that share the
 * object.
 */
export function knownKeys(entries: readonly Entry[]): ReadonlySet<string> {
  const choices = entries.filter(isChoice).flatMap((choice) => selectors(choice).flat().map(firstKey));
  const read = entries.flatMap(fieldsOf).flatMap(([, , ...keys]) => keys.map(firstKey));
  return new Set([...choices, ...read]);
}

/**
 * Returns the keys that a message reads from its object, including keys that select members and, recursively,
 * the keys of messages that share the object.
 */
export function sharedKeys({ entries }: MessageTable, found: Set<string> = new Set()): ReadonlySet<string> {
  for (const entry of entries) {
    for (const [, kind, ...keys] of fieldsOf(entry)) {
      for (const key of keys) found.add(firstKey(key));
      if (!isField(entry) && keys.length === 0 && kind instanceof MessageTable) sharedKeys(kind, found);
    }
    if (!("choice" in entry)) continue;
    for (const key of entry.when.flatMap((each) => each.key ?? entry.by ?? [])) found.add(key);
  }
  return found;
}

/** Reports whether an object has a key that a message reads. */
export function hasKeyOf(message: MessageTable, json: JsonObject): boolean {
  const keys = sharedKeys(message);
  return Object.keys(json).some((key) => keys.has(key));
}

/** Reports whether a message reads a key of its object, as a field or by collecting it. */
export function readsKey(message: MessageTable, key: string): boolean {
  const readsAll = (entry: Entry) => "unknown" in entry || "any" in entry || "value" in entry;
  if ([StructTable, ValueTable, ListValueTable].includes(message)) return true;
  return message.entries.some(readsAll) || sharedKeys(message).has(key);
}

/** Returns the keys of oneof members that share the object of a message. */
export function memberKeys(entries: readonly Entry[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, kind, ...keys] of entries.filter(isChoice).flatMap(choiceMembers)) {
    if (keys.length === 0 && kind instanceof MessageTable) sharedKeys(kind, found);
  }
  return found;
}

/** Returns the keys that a message reads through paths, by first key; undefined if no key has a path. */
export function keysOnPaths(entries: readonly Entry[]): KeyTree | undefined {
  const fields = entries.flatMap(fieldsOf).flatMap(([, , ...keys]) => keys.map(pathOf));
  const choices = entries.filter(isChoice).flatMap((choice) => selectors(choice).flat().map(pathOf));
  const through = [...keyTree([...fields, ...choices])].filter(([, below]) => below !== "all");
  return through.length === 0 ? undefined : new Map(through);
}

/** Returns the keys whose values select members of a choice, each with all of its spellings. */
function selectors({ by = [], when }: ChoiceEntry): ReadonlyArray<readonly Key[]> {
  const tested = when.flatMap(({ key, is }) =>
    key === undefined || is === undefined ? [] : [key.map((path) => ({ path }))],
  );
  return by.length === 0 ? tested : [by, ...tested];
}

/**
 * Returns the keys whose values select members of a choice, and that no other entry reads, each with all of
 * its spellings. If the value of such a key selects no member, nothing holds the value.
 */
export function soleSelectors(choice: ChoiceEntry, entries: readonly Entry[]): ReadonlyArray<readonly Key[]> {
  const others = entries.filter((entry) => entry !== choice).flatMap(fieldsOf);
  const read = others.flatMap(([, , ...keys]) => keys);
  const found = new Map(selectors(choice).map((keys) => [selectorName(keys), keys]));
  return [...found.values()].filter((keys) => !keys.some((key) => read.some((other) => overlap(key, other))));
}

/**
 * Reports whether a key is only tested: a condition of the choice tests its presence or type, and no field
 * reads it.
 */
export function isOnlyTested(
  { key, is }: ChoiceCase,
  choice: ChoiceEntry,
  entries: readonly Entry[],
): boolean {
  if (key === undefined || is !== undefined) return false;
  const tested = key.map((path) => ({ path }));
  return ![...entries.flatMap(fieldsOf), ...choiceMembers(choice)].some((field) =>
    holdsSelector(field, tested),
  );
}

/** Returns a name that two selectors share if they read the same keys. */
export function selectorName(keys: readonly Key[]): string {
  return JSON.stringify(keys.map(pathOf));
}

/** Reports whether a member of a choice holds the value of a selector. */
export function holdsSelector([, kind, ...keys]: FieldEntry, selector: readonly Key[]): boolean {
  if (keys.length > 0 || !(kind instanceof MessageTable)) {
    return keys.some((key) => selector.some((other) => overlap(key, other)));
  }
  return kind === StructTable || selector.some((key) => sharedKeys(kind).has(firstKey(key)));
}

/** Reports whether one of two paths leads to the other. */
function overlap(a: Key, b: Key): boolean {
  const [longer, shorter] = [pathOf(a), pathOf(b)].toSorted((one, other) => other.length - one.length);
  return longer === shorter || longer?.startsWith(`${shorter}.`) === true;
}

/** Returns the members of a oneof with the paths that no other entry reads. */
export function exclusiveMembers(oneof: Entry, entries: readonly Entry[]): OneofMembers {
  const own = fieldsOf(oneof);
  const shared = own.flatMap(([, kind, ...keys]) =>
    keys.length === 0 && kind instanceof MessageTable ? [...knownKeys(kind.entries)] : [],
  );
  const beside = entries.filter((entry) => entry !== oneof).flatMap(fieldsOf);
  const others = new Set([...shared, ...beside.flatMap(([, , ...keys]) => keys.map(firstKey))]);
  return own
    .map(
      ([number, , ...keys]) =>
        [number, ...keys.filter((key) => !others.has(firstKey(key))).map(pathOf)] as const,
    )
    .filter(([, ...paths]) => paths.length > 0);
}

/** Returns the fields that an entry may read from the object. */
export function fieldsOf(entry: Entry): readonly FieldEntry[] {
  if (isField(entry)) return [entry];
  if ("oneOf" in entry) return entry.oneOf;
  return isChoice(entry) ? choiceMembers(entry) : [];
}

function isChoice(entry: Entry): entry is ChoiceEntry {
  return "choice" in entry;
}
