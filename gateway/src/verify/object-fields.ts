/** Finds the fields that read the keys of an object, as the decoder selects them. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import {
  type ChoiceCase,
  type ChoiceEntry,
  type Entry,
  EnumTable,
  type FieldEntry,
  isJsonObject,
  type JsonValue,
  type Kind,
  knownKeys,
  MessageTable,
  stepsOf,
  valueAt,
} from "connect-rest-codec/internal";

/** A field of a table with its value in an object. */
export interface ReadField {
  readonly desc: DescField | undefined;
  readonly kind: Kind;
  /** The path of the key that reports name. */
  readonly steps: readonly string[];
  /** Undefined for a field without a value. */
  readonly value: JsonValue | undefined;
}

/** The messages of a description, by their full names. */
export type Messages = ReadonlyMap<string, DescMessage>;

/** Returns all messages that messages refer to. */
export function messagesBelow(roots: Iterable<DescMessage>): Map<string, DescMessage> {
  const found = new Map<string, DescMessage>();
  const add = (message: DescMessage) => {
    if (found.has(message.typeName)) return;
    found.set(message.typeName, message);
    for (const field of message.fields) if (field.message !== undefined) add(field.message);
  };
  for (const root of roots) add(root);
  return found;
}

/**
 * Returns the fields that read an object: the fields of its table, and of the oneof members that share the
 * object.
 */
export function readFields(table: MessageTable, object: JsonValue, messages: Messages): readonly ReadField[] {
  const owner = messages.get(table.name);
  return table.entries
    .flatMap((entry) => membersOf(entry, object))
    .flatMap(([number, kind, ...keys]) => {
      const desc = owner?.fields.find((field) => field.number === number);
      const shared = keys.length === 0 ? tableIn(kind) : undefined;
      const own = { desc, kind, ...readValue(kind, keys, object) };
      if (keys.length > 0) return [own];
      return shared === undefined ? [] : [{ ...own, value: object }, ...readFields(shared, object, messages)];
    });
}

/** Returns the message to which a new key of an object belongs: a selected member that shares the object. */
export function ownerOf(table: MessageTable, object: JsonValue): MessageTable {
  for (const entry of table.entries) {
    if (!("choice" in entry)) continue;
    const member = selected(entry, object);
    const shared = member?.length === 2 ? tableIn(member[1]) : undefined;
    if (shared !== undefined) return ownerOf(shared, object);
  }
  return table;
}

/** Reports whether a message keeps the keys of an object that no field reads. */
export function collectsKeys(table: MessageTable, object: JsonValue): boolean {
  return sharing(table, object).some(({ entries }) => entries.some((entry) => "unknown" in entry));
}

/** Returns the keys that fields read, and that select members. */
export function readKeys(table: MessageTable, object: JsonValue): ReadonlySet<string> {
  return new Set(sharing(table, object).flatMap(({ entries }) => [...knownKeys(entries)]));
}

/** Returns a table, and the tables of the selected members that share its object. */
function sharing(table: MessageTable, object: JsonValue): readonly MessageTable[] {
  const members = table.entries.flatMap((entry) => (Array.isArray(entry) ? [] : membersOf(entry, object)));
  const shared = members.map(([, kind, ...keys]) => (keys.length === 0 ? tableIn(kind) : undefined));
  return [table, ...shared.flatMap((each) => (each === undefined ? [] : sharing(each, object)))];
}

/** Returns the kind of a value without the rules around it. */
export function plainKind(kind: Kind): Kind {
  if (typeof kind !== "object" || kind instanceof EnumTable || kind instanceof MessageTable) return kind;
  if ("loose" in kind) return plainKind(kind.loose);
  if ("of" in kind) return plainKind(kind.of);
  if ("jsonText" in kind) return plainKind(kind.jsonText);
  if ("open" in kind) return kind.open;
  if ("nullable" in kind) return kind.nullable;
  if ("group" in kind) return kind.group;
  return "unwrap" in kind ? plainKind(kind.unwrap[1]) : kind;
}

function tableIn(kind: Kind): MessageTable | undefined {
  const plain = plainKind(kind);
  return plain instanceof MessageTable ? plain : undefined;
}

/** Returns the fields of an entry that an object selects. */
function membersOf(entry: Entry, object: JsonValue): readonly FieldEntry[] {
  if (Array.isArray(entry)) return [entry as FieldEntry];
  if ("oneOf" in entry) return entry.oneOf;
  if ("choice" in entry) {
    const member = selected(entry, object);
    return member === undefined ? [] : [member];
  }
  if ("value" in entry) {
    const type = typeOf(object);
    const member = entry.when.find((each) => each.type === type)?.as ?? entry.otherwise;
    return member === undefined ? [] : [member];
  }
  return [];
}

function selected({ by = [], when, otherwise }: ChoiceEntry, object: JsonValue): FieldEntry | undefined {
  const found = when.find((each) => holds(each, each.key ?? by, object));
  return found === undefined ? otherwise : found.as;
}

function holds({ is, present, type }: ChoiceCase, keys: readonly string[], object: JsonValue): boolean {
  const value = keys.map((key) => valueAt(object, key)).find((each) => each !== undefined);
  if (is !== undefined && !is.includes(String(value))) return false;
  if (present !== undefined && (value !== undefined && value !== null) !== present) return false;
  return type === undefined || (value !== undefined && typeOf(value) === type);
}

/** Returns the value of the first key that has one. For a list, an array precedes other values. */
function readValue(
  kind: Kind,
  keys: readonly (string | { readonly path: string })[],
  object: JsonValue,
): Pick<ReadField, "steps" | "value"> {
  const all = keys.map((key) => (typeof key === "string" ? [key] : [...stepsOf(key.path)]));
  const found = all
    .map((steps) => ({ steps, value: steps.reduce<JsonValue | undefined>(inside, object) }))
    .filter(({ value }) => value !== undefined && value !== null);
  const plain = plainKind(kind);
  const isList = typeof plain === "object" && "list" in plain;
  const array = isList ? found.find(({ value }) => Array.isArray(value)) : undefined;
  const { value } = array ?? found[0] ?? { value: undefined };
  return { steps: all[0] ?? [], value };
}

function inside(value: JsonValue | undefined, key: string): JsonValue | undefined {
  const object = Array.isArray(value) ? value[0] : value;
  return isJsonObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Returns the JSON type of a value. */
export function typeOf(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" || typeof value === "number" ? "number" : typeof value;
}
