/**
 * Removes escapes from keys in JSON requests. V8 predicts the next key of an object from objects that it
 * parsed before, and compares the prediction with the raw text, in which escapes are not decoded. After it
 * has read the key `\`, it misreads `"\""` as that key, even in another client's request. JSON.parse, which
 * protobuf-es calls, therefore receives JSON without escaped keys. Most keys can be written without escapes.
 * Other keys get a temporary name, which is replaced by the original key once they are in a message. Field
 * names with escapes remain, since protobuf-es identifies fields by them. V8 confuses them only with keys
 * that contain a backslash, which no longer occur, unless two fields of one message have such names.
 */
import { randomBytes } from "node:crypto";
import type { DescMessage, Message, MessageShape, Registry } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Any, AnySchema, anyPack, anyUnpack } from "@bufbuild/protobuf/wkt";
import { hasEscapedKey, isKey, stringsOf } from "connect-rest-codec/internal";
import { escapedNames } from "./escaped-names.ts";

const BACKSLASH = "\\";

/** A random prefix that no client can guess, so that none of a client's keys begins with it. */
const MARK = `#${randomBytes(16).toString("hex")}:`;
const MARKED = new RegExp(`${MARK}([^"\\\\]*)`, "g");
const CODED = /%[0-9a-f]{4}/g;

/** Whether a key has ever been renamed; until then, messages need no search. */
let isUsed = false;

/**
 * Returns JSON without escapes in keys, except in the names of the message's fields. Invalid JSON is not
 * changed. For JSON without a backslash, the only cost is a search for one.
 */
export function withoutEscapedKeys(text: string, desc: DescMessage, types: Registry | undefined): string {
  if (!hasEscapedKey(text)) return text;
  const names = escapedNames(desc, types);
  let written = "";
  let copied = 0;
  for (const { string, start, end } of stringsOf(text)) {
    if (!string.includes(BACKSLASH) || !isKey(text, end)) continue;
    written += text.slice(copied, start) + withoutEscapes(string, names);
    copied = end;
  }
  return written + text.slice(copied);
}

/** Returns a quoted key without escapes, unless it is one of the names. */
function withoutEscapes(quoted: string, names: ReadonlySet<string>): string {
  let key: string;
  try {
    key = JSON.parse(quoted) as string;
  } catch {
    // protobuf-es reports the error
    return quoted;
  }
  const shortest = JSON.stringify(key);
  if (shortest === `"${key}"` || names.has(key)) return shortest;
  isUsed = true;
  return `"${MARK}${key.replace(/["\\%\p{Cc}]/gu, coded)}"`;
}

function coded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function decoded(name: string): string {
  return name.replace(CODED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

/** Returns an error message in which renamed keys are replaced by the original keys. */
export function withEscapedKeys(text: string): string {
  return text.replace(MARKED, (_, name: string) => decoded(name));
}

/**
 * Restores the original keys of the maps in a message, in place.
 *
 * @param types the types allowed in a google.protobuf.Any
 */
export function restoreKeys(
  desc: DescMessage,
  message: MessageShape<DescMessage>,
  types: Registry | undefined,
): void {
  if (isUsed) restore(reflect(desc, message, false), types);
}

/**
 * Restores the keys in a message. Returns whether anything changed: if the value of a field is a copy, it
 * must then be set again.
 */
function restore(message: ReflectMessage, types: Registry | undefined): boolean {
  if (message.desc.typeName === AnySchema.typeName) {
    return restoreAny(message.message as Message as Any, types);
  }
  let isChanged = false;
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === "message") {
      const value = message.get(field);
      if (!restore(value, types)) continue;
      message.set(field, value);
      isChanged = true;
    } else if (field.fieldKind === "list" && field.listKind === "message") {
      const list = message.get(field);
      for (const [index, item] of list.entries()) {
        if (!restore(item as ReflectMessage, types)) continue;
        list.set(index, item);
        isChanged = true;
      }
    } else if (field.fieldKind === "map") {
      const map = message.get(field);
      for (const key of [...map.keys()]) {
        const value = map.get(key);
        const isOther = field.mapKind === "message" && restore(value as ReflectMessage, types);
        const isMarked = typeof key === "string" && key.startsWith(MARK);
        if (!isOther && !isMarked) continue;
        if (isMarked) map.delete(key);
        map.set(isMarked ? decoded(key.slice(MARK.length)) : key, value);
        isChanged = true;
      }
    }
  }
  return isChanged;
}

function restoreAny(any: Any, types: Registry | undefined): boolean {
  const message = types && anyUnpack(any, types);
  const desc = message && types.getMessage(message.$typeName);
  if (desc === undefined || message === undefined || !restore(reflect(desc, message, false), types)) {
    return false;
  }
  anyPack(desc, message, any);
  return true;
}
