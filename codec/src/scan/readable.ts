/** What of a table the scanner can read. All else it leaves to the decoder in JavaScript. */
import { EnumTable } from "../table/enum-table.ts";
import { fieldsOf } from "../table/keys.ts";
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

/** The list of a page, whose items are messages, in place of a payload. */
export interface PagePayload {
  readonly item: MessageTable;
  /** By which path the list is reported. */
  readonly path: string;
}

/** What a body is read as: a message, the only field of one, or a page. */
export type Payload = MessageTable | FieldEntry | PagePayload;

/** The place of a key is a bit of a word, which has eight for something else. */
const MAX_KEYS = 24;

/** Whether a payload can be read, as far as that does not depend on what comes. */
export function isReadablePayload(payload: Payload): boolean {
  if ("item" in payload) return isReadablePayload(payload.item);
  if (!(payload instanceof MessageTable)) return isReadableKind(payload[1]);
  // null is a value of these, or of their fields
  if (payload === ValueTable || payload === ListValueTable) return false;
  return typesOf(payload) === undefined && isReadable(payload);
}

/** Whether a message can be read from an object. */
export function isReadable({ entries }: MessageTable): boolean {
  return entries.every(isReadableEntry);
}

function isReadableEntry(entry: Entry): boolean {
  if ("any" in entry || "value" in entry) return false;
  if ("choice" in entry && !isReadableChoice(entry)) return false;
  return fieldsOf(entry).every(isReadableField);
}

function isReadableField([, kind, ...keys]: FieldEntry): boolean {
  return !holdsNull(kind) && keys.length <= MAX_KEYS && keys.every((key) => stepsTo(key).length > 0);
}

function isReadableChoice(choice: ChoiceEntry): boolean {
  // members are looked for at the keys of the object alone
  const isKey = (key: Key) => stepsTo(key).length === 1;
  return (
    choice.when.every(isReadableCase) && choiceMembers(choice).every(([, , ...keys]) => keys.every(isKey))
  );
}

/** A condition that asks one thing of one key. */
function isReadableCase({ key = [], is, present, type, as }: ChoiceCase): boolean {
  const asked = [is, present, type].filter((each) => each !== undefined).length;
  return as !== undefined && asked === 1 && key.every((path) => stepsTo({ path }).length === 1);
}

/** The steps of a key; none for a path with others than keys, whatever these are looked for in. */
export function stepsTo(key: Key): readonly string[] {
  if (typeof key === "string") return [key];
  const steps = key.path.split(".");
  return steps.every((step) => /^[A-Za-z_$@][\w$@:-]*$/.test(step)) ? steps : [];
}

/** Whether values of a kind can be read, as far as that does not depend on what comes. */
export function isReadableKind(kind: Kind): boolean {
  if (typeof kind === "string") return kind !== "duration" && kind !== "fieldMask";
  if (kind instanceof EnumTable) return true;
  if (kind instanceof MessageTable) {
    return typesOf(kind)?.every(({ as: [, inner] }) => !holdsNull(inner)) !== false;
  }
  if ("list" in kind) return isReadableKind(kind.list);
  if ("map" in kind) return kind.keys === undefined && isReadableKind(kind.map);
  if ("unwrap" in kind) return isReadableKind(kind.unwrap[1]);
  if ("loose" in kind) return isReadableKind(kind.loose);
  return "time" in kind || "wrapper" in kind || "open" in kind;
}

/** Whether a list may be one text, whose items are read as those of an array are. */
export function isSplit(item: Kind): boolean {
  if (item instanceof EnumTable) return true;
  return typeof item === "string" && item !== "bytes" && item !== "textBytes";
}

/** The fields of a message that a value of one of several JSON types stands for; undefined for others. */
export function typesOf({ entries }: MessageTable): ValueEntry["when"] | undefined {
  return entries.find((entry) => "value" in entry)?.when;
}
