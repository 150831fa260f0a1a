/**
 * Determines which tables the scanner can read. The scanner hands other values over to the JavaScript
 * decoder.
 */
import { EnumTable } from "../table/enum-table.ts";
import { fieldsOf, isOnlyTested } from "../table/keys.ts";
import {
  type ChoiceCase,
  type ChoiceEntry,
  choiceMembers,
  type Entry,
  type FieldEntry,
  holdsNull,
  type Key,
  type Kind,
  MessageTable,
  type ValueEntry,
} from "../table/message-table.ts";
import { ListValueTable, ValueTable } from "../table/well-known.ts";

/** The list of a page, in place of a payload. Its items are messages. */
export interface PagePayload {
  readonly item: MessageTable;
  /** The path of the list in reports. */
  readonly path: string;
}

/** The type of a body: a message, the only field of a message, or a page. */
export type Payload = MessageTable | FieldEntry | PagePayload;

/**
 * The maximum number of keys of a field. A state word has a bit for each key, and eight bits for other
 * purposes.
 */
const MAX_KEYS = 24;

/** Reports whether the scanner can read a payload, as far as this can be determined from the table. */
export function isReadablePayload(payload: Payload): boolean {
  if ("item" in payload) return isReadablePayload(payload.item);
  if (!(payload instanceof MessageTable)) return isReadableKind(payload[1]);
  // the decoder reads these types, because null is a value of google.protobuf.Value and may be a list item
  if (payload === ValueTable || payload === ListValueTable) return false;
  return typesOf(payload) === undefined && isReadable(payload);
}

/** Reports whether a message can be read from an object. */
export function isReadable({ entries }: MessageTable): boolean {
  return entries.every((entry) => isReadableEntry(entry, entries));
}

function isReadableEntry(entry: Entry, entries: readonly Entry[]): boolean {
  if ("any" in entry || "value" in entry || "tuple" in entry) return false;
  if ("choice" in entry && !isReadableChoice(entry, entries)) return false;
  return fieldsOf(entry).every(isReadableField);
}

function isReadableField([, kind, ...keys]: FieldEntry): boolean {
  return !holdsNull(kind) && keys.length <= MAX_KEYS && keys.every((key) => stepsTo(key).length > 0);
}

function isReadableChoice(choice: ChoiceEntry, entries: readonly Entry[]): boolean {
  // the scanner finds members only by keys of the object, not by paths
  const isKey = (key: Key) => stepsTo(key).length === 1;
  return (
    choice.when.every((each) => isReadableCase(each) && !isOnlyTested(each, choice, entries)) &&
    choiceMembers(choice).every(([, , ...keys]) => keys.every(isKey))
  );
}

/** Reports whether a condition is a single test that involves only plain keys. */
function isReadableCase({ key = [], is, present, type, as }: ChoiceCase): boolean {
  const asked = [is, present, type].filter((each) => each !== undefined).length;
  return as !== undefined && asked === 1 && key.every((path) => stepsTo({ path }).length === 1);
}

/** Returns the steps of a key; an empty list for a path with steps that are not plain keys. */
export function stepsTo(key: Key): readonly string[] {
  if (typeof key === "string") return [key];
  const steps = key.path.split(".");
  return steps.every((step) => /^[A-Za-z_$@][\w$@:-]*$/.test(step)) ? steps : [];
}

/** Reports whether the scanner can read values of a kind, as far as this can be determined from the table. */
export function isReadableKind(kind: Kind): boolean {
  if (typeof kind === "string") return kind !== "fieldMask";
  if (kind instanceof EnumTable) return true;
  if (kind instanceof MessageTable) {
    if (isTuple(kind)) return false;
    return typesOf(kind)?.every(({ as: [, inner] }) => !holdsNull(inner)) !== false;
  }
  if ("list" in kind) return isReadableKind(kind.list);
  if ("map" in kind) return kind.keys === undefined && isReadableKind(kind.map);
  if ("unwrap" in kind) return isReadableKind(kind.unwrap[1]);
  if ("loose" in kind) return isReadableKind(kind.loose);
  return "time" in kind || "duration" in kind || "wrapper" in kind || "open" in kind;
}

/** Reports whether a kind is an enum, or a list of an enum. */
export function isEnum(kind: Kind): boolean {
  if (typeof kind === "string" || kind instanceof MessageTable) return false;
  if (kind instanceof EnumTable || "open" in kind || "nullable" in kind) return true;
  if ("list" in kind) return isEnum(kind.list);
  if ("loose" in kind) return isEnum(kind.loose);
  if ("jsonText" in kind) return isEnum(kind.jsonText);
  return "absent" in kind && isEnum(kind.of);
}

/** Reports whether the JSON of a message is an array of its fields. */
function isTuple({ entries }: MessageTable): boolean {
  return entries.some((entry) => "tuple" in entry);
}

/** Reports whether a list may be a single string, with items that are read like array items. */
export function isSplit(item: Kind): boolean {
  if (item instanceof EnumTable) return true;
  return typeof item === "string" && item !== "bytes" && item !== "textBytes";
}

/**
 * Returns the fields of a message whose JSON is a value of one of several types; undefined for other
 * messages.
 */
export function typesOf({ entries }: MessageTable): ValueEntry["when"] | undefined {
  return entries.find((entry) => "value" in entry)?.when;
}
