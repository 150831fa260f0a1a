import { stepsOf } from "../../codec/src/json/path-text.ts";
import { EnumTable } from "../../codec/src/table/enum-table.ts";
import {
  type Entry,
  type FieldEntry,
  type Key,
  type Kind,
  MessageTable,
  type TupleEntry,
} from "../../codec/src/table/message-table.ts";

/** A random number generator with a fixed sequence for each seed. */
export class Dice {
  /** The number of fields that may still be generated. */
  budget = 150;
  /** One in this number of values and keys has an unusual spelling; 0 for none. */
  dirt = 0;
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Returns an integer from 0 to `count` - 1. */
  of(count: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  /** Returns true with a probability of 1 / `times`. */
  once(times: number): boolean {
    return this.of(times) === 0;
  }

  /** Decides whether the next value or key has an unusual spelling. */
  isDirty(): boolean {
    return this.dirt > 0 && this.once(this.dirt);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.of(items.length)] as T;
  }
}

export const STRINGS = [
  '""', '"x"', '"text"', '"Café au lait"', '"a \\"quoted\\" word"', '"line\\nfeed\\ttab"', '"\\u00e9\\u4e2d"',
  '"\\ud83d\\ude00"', '"😀"', '"\\/slash"', '"\\u0000"', '"\\b\\f\\r"', '"0123456789abcdef"', '"0123456789abcde\\\\"',
  `"${"long ".repeat(60)}"`, '"2025-11-01T11:00:00Z"', '"1761994800"', '"42"', '"-7"', '"true"', '"\\u2028"', '"\\u007f\\u001F"',
]; // biome-ignore format: a table
export const NUMBERS = [
  "0", "1", "-1", "7", "42", "-42", "127", "128", "16384", "2147483647", "-2147483648", "4294967295", "1761994800",
  "1761994800123", "9007199254740991", "735000000000051460", "9223372036854775807", "-9223372036854775808",
  "18446744073709551615", "1.5", "-0.25", "3.141592653589793", "0.1",
  "12.0", "1e300", "1E16", "9007199254740994", "9007199254740993", "18446744073709551616", "1.7976931348623157e+308",
]; // biome-ignore format: a table
/** base64 in all spellings, valid and invalid. */
export const BASE64 = [
  '""', '"AAEC"', '"AAECAw=="', '"AAECAwQ="', '"AAECAwQ"', '"-_-_"', '"+\\/+\\/"', '"AAEC\\nAwQF\\n"', '"AA EC"', '"AA\\u003d\\u003d"',
  '"AAF="', '"AA===="', '"A"', '"AAECA"', '"AA=A"', '"AA!A"', '"="', '"é"', `"${"AAEC".repeat(50)}"`,
]; // biome-ignore format: a table
/** Values that decoders may reject, or must report as changed. */
export const ODD = [
  "null", "true", "false", "{}", "[]", "[{}]", "[[]]", "-0", "1.0", "1e3", "1E+2", "1e400", "1e-400", "2147483648",
  "-2147483649", "4294967296", "9223372036854775808", "18446744073709551616", "99999999999999999999", "1.10",
  "123456789.123456789", "0.30000000000000004", '"\\ud800"', '"\\udc00x"', '"NaN"', '"Infinity"', '"1e3"', '" 5"', '"007"',
  '"+5"', '"18446744073709551616"', '"2024-02-30T00:00:00Z"', '"2024-02-29T23:59:60Z"', '"2024-02-29T24:00:00Z"',
  '"2025-11-01T11:00:00.123456789+02:30"', '"2025-11-01T11:00:00.1234567891Z"', '"2025-11-01 11:00:00"', '"0000-01-01T00:00:00Z"',
  '"0001-01-01T00:00:00Z"', '"9999-12-31T23:59:59Z"', '"1969-12-31T23:59:59.5-01:00"', "253402300799", "253402300800",
  "-62135596800", "-62135596801", '{"a":1,"a":2}', '{"2":1,"1":2}', '{"k":[1,{"x":null}]}', '{ "a" : [ 1.10 , "\\u0041" ] }',
  '{"\\u0061":1}', '{"__proto__":1}', "[1,null]", '["a",null]', "[1e2,-0]",
]; // biome-ignore format: a table
/** No JSON. */
export const BROKEN = [
  "", "nul", "nullx", "tru", "01", "-", "1.", ".5", "1e", "+1", "0x1", "'x'", '"x', '"\\x"', '"\\u12g4"', '"tab\tin"',
  "[1,]", "[1 2]", '{"a"}', '{"a":}', '{"a":1,}', "{a:1}", "{", "[", '"\\', "NaN", "undefined", "1 2", '"a""b"', "// x",
]; // biome-ignore format: a table

/** Returns JSON for a message. Most values have the declared types. */
export function objectText({ entries }: MessageTable, dice: Dice, depth = 0): string {
  if (entries.length === 0 || dice.once(80)) return anyText(dice, depth);
  const byType = entries.flatMap((entry) => ("value" in entry ? entry.when.map(({ as }) => as) : []));
  if (byType.length > 0) return fieldText(dice.pick(byType), dice, depth);
  const [tuple] = entries.filter((entry) => "tuple" in entry);
  if (tuple !== undefined) return tupleText(tuple, dice, depth);
  const members: string[] = [];
  const add = (key: string, value: string) =>
    members.push(`${keyText(key, dice)}${space(dice)}:${space(dice)}${value}`);
  const isFull = depth < 3 && dice.once(6);
  const below: Tree = new Map();
  for (const entry of entries) addEntry(entry, add, dice, depth, isFull, below);
  for (const [key, value] of below) add(key, treeText(value, dice, depth));
  if (dice.once(6)) {
    add(dice.pick(["zz_new", "zz_new", "é", "1", "__proto__", "constructor"]), anyText(dice, depth + 2));
  }
  if (dice.once(30)) members.push(...members.slice(0, 1));
  if (dice.isDirty()) members.unshift(...members.slice(0, 1).map((each) => each.replace(/:.*$/s, ":null")));
  if (dice.once(2)) shuffle(members, dice);
  return `{${space(dice)}${members.join(`${space(dice)},${space(dice)}`)}${space(dice)}}`;
}

/** Returns an array with null in some places, without its last items or with further items. */
function tupleText({ tuple, rest }: TupleEntry, dice: Dice, depth: number): string {
  const items = tuple.map((field) => (dice.once(4) ? "null" : fieldText(field, dice, depth + 1)));
  if (dice.once(4)) items.splice(dice.of(items.length + 1));
  for (let more = dice.of(3); more > 0 && dice.once(2); more--) {
    items.push(rest === undefined ? anyText(dice, depth + 2) : fieldText(rest, dice, depth + 1));
  }
  return `[${items.join(`${space(dice)},${space(dice)}`)}]`;
}

function addEntry(
  entry: Entry,
  add: (key: string, value: string) => void,
  dice: Dice,
  depth: number,
  isFull: boolean,
  below: Tree,
): void {
  if ("choice" in entry) {
    const { key = entry.by ?? [], is, type, as } = dice.pick(entry.when);
    const asked = type === "array" ? "[]" : anyText(dice, 9);
    add(dice.pick(key), is === undefined ? asked : JSON.stringify(dice.once(9) ? "zz" : dice.pick(is)));
    if (as === undefined) return;
    const [, kind, ...keys] = as;
    if (keys.length > 0) {
      putAt(dice.pick(keys), fieldText(as, dice, depth + 1), add, below);
    } else if (kind instanceof MessageTable) {
      addShared(kind, add, dice, depth, below);
    }
  } else if ("oneOf" in entry) {
    for (const field of entry.oneOf) addEntry(field, add, dice, depth, isFull, below);
  } else if (!("unknown" in entry) && !("value" in entry) && !("tuple" in entry) && !("any" in entry)) {
    const [, , ...keys] = entry;
    if (dice.budget <= 0 || (!isFull && !dice.once(4))) return;
    dice.budget--;
    const put = (key: Key = "") => putAt(key, fieldText(entry, dice, depth + 1), add, below);
    put(dice.once(4) ? dice.pick(keys) : keys[0]);
    if (dice.once(8) && keys.length > 1) put(keys.at(-1));
  }
}

function putAt(key: Key, value: string, add: (key: string, value: string) => void, below: Tree): void {
  if (typeof key === "string") {
    add(key, value);
  } else {
    putBelow(below, stepsOf(key.path), value);
  }
}

/** The value of a key: JSON text, or further keys. */
type Tree = Map<string, Tree | string>;

function putBelow(tree: Tree, [key = "", ...keys]: readonly string[], value: string): void {
  if (keys.length === 0) {
    tree.set(key, value);
    return;
  }
  const known = tree.get(key);
  const next: Tree = known instanceof Map ? known : new Map();
  tree.set(key, next);
  putBelow(next, keys, value);
}

function treeText(tree: Tree | string, dice: Dice, depth: number): string {
  if (typeof tree === "string") return tree;
  if (dice.once(12)) return anyText(dice, depth + 2);
  const members = [...tree].map(([key, value]) => `"${key}"${space(dice)}:${treeText(value, dice, depth)}`);
  const extra = dice.pick(["zz_new", "1", "é", "__proto__"]);
  if (dice.once(4)) members.push(`"${extra}":${anyText(dice, depth + 2)}`);
  if (dice.once(30)) members.push(...members.slice(0, 1));
  if (dice.once(2)) shuffle(members, dice);
  return `{${space(dice)}${members.join(`${space(dice)},`)}${space(dice)}}`;
}

/** Adds the keys of a message that shares the parent's object. */
function addShared(
  { entries }: MessageTable,
  add: (key: string, value: string) => void,
  dice: Dice,
  depth: number,
  below: Tree,
): void {
  for (const entry of entries) addEntry(entry, add, dice, depth, dice.once(3), below);
}

/** Spellings of upstreams that differ from the declaration, by kind. */
const DIRTY: Readonly<Record<string, readonly string[]>> = {
  bool: ["0", "1", '"true"', '"false"', '"0"', '"1"', '"Y"', '"no"', '""', '"tru\\u0065"', "1.0", "2", "true", "[true]"],
  integer: [
    '"17"', '"-3"', '"5.0"', '"1e2"', '"many"', '""', '"007"', '" 5"', "1.0", "1e3", "1E+2", "-1e1", "12.5", "-0", "0e0", "1e15", "1e16",
    "9e15", "1.5e1", "1e400", "99999999999999999999", "true", "[5]", "{}", '"4294967296"', '"-0"',
  ],
  double: ['"1.5"', '"-0.25"', '"1e3"', '""', '"many"', '"NaN"', '"1e400"', "1e400", "true", "[1.5]", '"5"', '"0.10"'],
  string: ["5", "-7", "0", "-0", "1.10", "1e3", "true", "false", "9007199254740991", "9007199254740993", "12345678901234567890", "[]", '["x"]', "{}"],
  object: ["[]", "[{}]", "false", '""', '"x"', "5", "{}", "[null]", '[{"zz_new":1}]'],
  list: ["{}", "false", '""', '"x"', "5", '["1",1,true]', "[[]]", "[null]", '{"zz_new":1}', '[{},"x"]'],
  other: ['""', '"x"', "0", "5", "1.5", "false", "[]", "{}", '"2025-11-01"', '"Sat, 01 Nov 2025 11:00:00 GMT"', '"3.5s"', '"PT1H"'],
}; // biome-ignore format: a table

function dirtyText(kind: Kind, dice: Dice, depth: number): string {
  if (kind instanceof EnumTable) return dice.pick([...(DIRTY.integer ?? []), '"zz_new"', '"RED"']);
  if (kind instanceof MessageTable) return dice.pick(DIRTY.object ?? []);
  if (typeof kind === "object") {
    if ("list" in kind) {
      return dice.once(2) ? `[${dirtyText(kind.list, dice, depth)}]` : dice.pick(DIRTY.list ?? []);
    }
    if ("map" in kind) return dice.pick(DIRTY.object ?? []);
    if ("wrapper" in kind) return dirtyText(kind.wrapper, dice, depth);
    if ("unwrap" in kind) return dirtyText(kind.unwrap[1], dice, depth);
    if ("loose" in kind) return dirtyText(kind.loose, dice, depth);
    if ("open" in kind) return dirtyText(kind.open, dice, depth);
    return dice.pick(DIRTY.other ?? []);
  }
  const group =
    kind === "bool" || kind === "string"
      ? kind
      : kind === "double" || kind === "float"
        ? "double"
        : "integer";
  return dice.pick(DIRTY[kind === "bytes" || kind === "textBytes" ? "other" : group] ?? []);
}

/** Returns a key as a JSON string, with an escape if it is dirty. */
function keyText(key: string, dice: Dice): string {
  const text = JSON.stringify(key);
  if (!dice.isDirty()) return text;
  const at = dice.of(key.length);
  const code = key.charCodeAt(at);
  const isPlain = code >= 0x20 && code < 0x7f;
  return isPlain
    ? `${JSON.stringify(key.slice(0, at)).slice(0, -1)}\\u00${code.toString(16)}${JSON.stringify(key.slice(at + 1)).slice(1)}`
    : text;
}

function fieldText([, kind]: FieldEntry, dice: Dice, depth: number): string {
  if (dice.isDirty()) return dirtyText(kind, dice, depth);
  if (dice.once(150)) return dice.pick(ODD);
  if (dice.once(40)) return "null";
  return kindText(kind, dice, depth);
}

function kindText(kind: Kind, dice: Dice, depth: number): string {
  if (depth > 7 || dice.budget <= 0) return dice.pick(["null", "{}", "[]"]);
  if (kind instanceof EnumTable) {
    const { word, asString } = dice.pick(kind.words());
    return asString ? JSON.stringify(word) : word;
  }
  if (kind instanceof MessageTable) return objectText(kind, dice, depth + 1);
  if (typeof kind === "string") return scalarText(kind, dice);
  if ("list" in kind) {
    return kind.commas && !dice.once(6) ? commaText(kind.list, dice) : listText(kind.list, dice, depth);
  }
  if ("map" in kind) {
    const keys = ["a", "b", "key", "é"].slice(0, dice.of(4));
    return `{${keys.map((key) => `"${key}":${kindText(kind.map, dice, depth + 1)}`).join(",")}}`;
  }
  if ("wrapper" in kind) return scalarText(kind.wrapper, dice);
  if ("unwrap" in kind) {
    return kind.orNull && dice.once(3) ? "null" : kindText(kind.unwrap[1], dice, depth + 1);
  }
  if ("loose" in kind) {
    return dice.once(6) ? dice.pick(["[]", "{}", "[{}]"]) : kindText(kind.loose, dice, depth);
  }
  if ("open" in kind) return kindText(kind.open, dice, depth);
  if ("jsonText" in kind) return JSON.stringify(kindText(kind.jsonText, dice, depth));
  // Values that the scanner leaves to the decoder.
  if (!("time" in kind)) return dice.once(8) ? anyText(dice, depth) : "null";
  if (dice.once(5)) return kind.none === undefined ? "null" : JSON.stringify(kind.none);
  if (kind.time === "iso8601") {
    return dice.pick([
      '"2025-11-01T11:00:00Z"',
      '"2024-02-29T23:59:59.120+05:30"',
      '"1960-01-01T00:00:00.000001Z"',
      '"2025-11-01 11:00:00"',
      '"2025-11-01T11:00:00.000+0000"',
    ]);
  }
  return dice.pick(["0", "1761994800", '"1761994800"', "-1", "1761994800123"]);
}

function listText(kind: Kind, dice: Dice, depth: number): string {
  const items = Array.from({ length: dice.of(4) }, () => kindText(kind, dice, depth + 1));
  return `[${space(dice)}${items.join(`,${space(dice)}`)}]`;
}

/**
 * Text around list items: white space that is trimmed, similar characters that are not trimmed, and other
 * text.
 */
export const BLANKS = [
  "", "", "", " ", "  ", "\\t", "\\n\\r", "\\u000b\\f", "\u00a0", "\\u00a0", "\u1680", "\u2000", "\u200a", "\\u2028\u2029", "\u202f", "\u205f",
  "\u3000", "\ufeff", "\u0085", "\u180e", "\u200b", "\u2060", "\u3001", "\ufebf", "\u00e0", "\u00a0\u3000 ", "\\u0000", "\\u0020",
]; // biome-ignore format: a table
const NUMBER_ITEMS = [
  "0", "1", "-1", "42", "007", "+5", "-0", "1.5", "1.", ".5", "1e3", "1e400", "2147483648", "735000000000051460", "9007199254740993",
  "18446744073709551615", "99999999999999999999", "true", "false", "null", "NaN", '\\"5\\"', "1 2", "0x10", "123456789.123456789",
]; // biome-ignore format: a table
const TEXT_ITEMS = [
  "a", "text", "Café au lait", "\\u00e9\\u4e2d", "\\ud83d\\ude00", "😀", "\\/slash", '\\"quoted\\"', "a\\u002cb", "\u3042", "x\u00a0y",
  `long ${"word ".repeat(40)}`, "0123456789abcdef0123456789abcdef", "[]", "{}", "null", "5",
]; // biome-ignore format: a table

/** Returns a comma-separated list as one string, rarely with an invalid character. */
export function commaText(kind: Kind, dice: Dice): string {
  const items = Array.from({ length: dice.of(5) }, () => {
    const item = dice.once(8) ? "" : commaItem(kind, dice);
    const blank = () => (dice.once(3) ? dice.pick(BLANKS) : "");
    return `${blank()}${item}${blank()}`;
  });
  if (dice.once(20)) items.push("\\ud800");
  return `"${items.join(",")}"`;
}

function commaItem(kind: Kind, dice: Dice): string {
  if (kind instanceof EnumTable) return dice.pick(kind.words()).word;
  if (kind === "string" || dice.once(30)) return dice.pick(TEXT_ITEMS);
  if (kind === "bool") return dice.pick(["true", "false", "true", "false", "1", "TRUE"]);
  return dice.pick(dice.once(3) ? NUMBER_ITEMS : ["0", "1", "42", "70000", "2147483647"]);
}

function scalarText(kind: string, dice: Dice): string {
  if (kind === "string" || kind === "textBytes") return dice.pick(STRINGS);
  if (kind === "bytes") return dice.pick(BASE64);
  if (kind === "bool") return dice.pick(["true", "false"]);
  if (kind === "double" || kind === "float") return dice.pick(NUMBERS);
  if (kind === "duration" || kind === "fieldMask") return dice.once(8) ? '"3.5s"' : "null";
  if (kind.endsWith("32")) return dice.pick(["0", "1", "7", "42", "128", "70000", "2147483647", "12.0"]);
  return dice.pick([
    "0",
    "1",
    "42",
    "735000000000051460",
    '"735000000000051460"',
    "9007199254740993",
    '"12"',
    "9223372036854775807",
  ]);
}

/** Any JSON. */
export function anyText(dice: Dice, depth: number): string {
  const kind = depth > 8 ? dice.of(3) : dice.of(5);
  if (kind === 0) return dice.pick(STRINGS);
  if (kind === 1) return dice.pick(NUMBERS);
  if (kind === 2) return dice.once(4) ? dice.pick(ODD) : dice.pick(["true", "false", "null"]);
  const items = Array.from({ length: dice.of(4) }, () => anyText(dice, depth + 2));
  if (kind === 3) return `[${items.join(`,${space(dice)}`)}]`;
  return `{${items.map((item, index) => `"k${index}":${item}`).join(`${space(dice)},`)}}`;
}

/** Returns white space, usually none. */
function space(dice: Dice): string {
  return dice.once(12) ? dice.pick([" ", "\n  ", "\t", "\r\n", "                    "]) : "";
}

export function shuffle<T>(items: T[], dice: Dice): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = dice.of(i + 1);
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }
}

/** Returns the bytes of a text, sometimes with one byte changed. */
export function mutated(text: string, dice: Dice): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || !dice.once(3)) return bytes;
  const at = dice.of(bytes.length);
  const further = () =>
    Buffer.from(
      dice.pick([...ODD, ...BROKEN, ",", ":", "{", "}", "[", "]", '"', "\\", " ", "\0", "0", "e", "."]),
    );
  switch (dice.of(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice.of(3))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), further(), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), further(), bytes.subarray(at + 1 + dice.of(8))]);
    case 4:
      bytes[at] = dice.of(256);
      return bytes;
    default:
      return Buffer.concat([bytes, further()]);
  }
}
