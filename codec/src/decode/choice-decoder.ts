/** Compiles a choice into the function that writes the selected member of an object. */
import { type JsonObject, jsonTypeOf } from "../json/json.ts";
import { exclusiveMembers, holdsSelector, reportedAs, selectorName, soleSelectors } from "../table/keys.ts";
import {
  type ChoiceCase,
  type ChoiceEntry,
  type Entry,
  type FieldEntry,
  type Key,
  MessageTable,
} from "../table/message-table.ts";
import { Attempts, fieldReader } from "./field-reader.ts";
import type { KnownKeys } from "./key-writer.ts";
import { type FieldScope, kindWriter, zeroWriter } from "./kind-writer.ts";
import { holdsNothing } from "./oneof-writer.ts";
import type { ProtoWriter } from "./proto-writer.ts";
import { wordReader } from "./word-reader.ts";

/** Writes part of an object. */
type Write = (json: JsonObject, out: ProtoWriter) => void;

/** Returns the function that writes a member, which the value of a selector may have named. */
type MemberOf = (field: FieldEntry | undefined, namedBy?: readonly Key[]) => Write;

/** Returns the writer of the member that an object selects; undefined if it selects no member. */
type Choose = (json: JsonObject, out: ProtoWriter) => Write | undefined;

/**
 * Returns the function that writes the selected member, and reports the values of selectors that neither
 * name a member nor are held.
 *
 * @param entries the entries of the message
 * @param holder the keys of the message
 */
export function choiceDecoder(
  choice: ChoiceEntry,
  entries: readonly Entry[],
  holder: KnownKeys,
  scope: FieldScope,
): Write {
  const selectors = soleSelectors(choice, entries);
  const memberOf: MemberOf = (field, namedBy) => {
    const write = memberWriter(field, namedBy !== undefined, holder, scope);
    const unheld = selectors.filter(
      (keys) =>
        (namedBy === undefined || selectorName(keys) !== selectorName(namedBy)) &&
        (field === undefined || !holdsSelector(field, keys)),
    );
    return unheld.length === 0 ? write : joined(write, unheldWriter(choice, unheld));
  };
  const choose = choice.when.every(isWord)
    ? byWord(choice, memberOf)
    : byConditions(choice, selectors, memberOf);
  const otherwise = memberOf(choice.otherwise);
  // the members with separate keys must be empty unless they are selected
  const members = exclusiveMembers(choice, entries);
  const write: Write = (json, out) => (choose(json, out) ?? otherwise)(json, out);
  if (members.length === 0) return write;
  return (json, out) => {
    const start = out.length;
    write(json, out);
    out.unchosen(start, json, members);
  };
}

/**
 * @param isNamed whether a discriminator names this member: the member is then set even if its key is absent
 *   or empty
 */
function memberWriter(
  field: FieldEntry | undefined,
  isNamed: boolean,
  holder: KnownKeys,
  scope: FieldScope,
): Write {
  if (field === undefined) return () => {};
  const [number, kind, ...keys] = field;
  if (keys.length === 0 && kind instanceof MessageTable) {
    const { from, decode } = scope.readingOf(kind);
    if (from !== "object") throw new Error("expected the table of an object beside its key");
    return (json, out) => out.flattened(number, json, decode, holder);
  }
  const name = reportedAs(keys);
  const read = fieldReader(keys);
  const collects = scope.collects === true && keys.every((key) => typeof key === "string");
  const write = kindWriter(kind, number, { ...scope, collects });
  if (!isNamed) return (json, out) => write(read(json, out.misstep), out, name);
  const writeZero = zeroWriter(kind, number);
  return (json, out) => {
    const value = read(json, out.misstep);
    const start = out.length;
    write(value, out, name);
    if (out.length === start && holdsNothing(value)) writeZero(out);
  };
}

function joined(first: Write, second: Write): Write {
  return (json, out) => {
    first(json, out);
    second(json, out);
  };
}

/** Returns a function that reports the values of selectors. */
function unheldWriter({ choice }: ChoiceEntry, selectors: ReadonlyArray<readonly Key[]>): Write {
  const readers = selectors.map((keys) => ({ name: reportedAs(keys), read: fieldReader(keys) }));
  return (json, out) => {
    for (const { name, read } of readers) out.notHeld(name, `a known ${choice}`, read(json, out.misstep));
  };
}

/** Reports whether a condition only compares the value of a key. */
function isWord({ key, is, present, type }: ChoiceCase): boolean {
  return key === undefined && is !== undefined && present === undefined && type === undefined;
}

function byWord({ by = [], when }: ChoiceEntry, memberOf: MemberOf): Choose {
  const members = new Map<string, Write>();
  for (const { is = [], as } of when) {
    const write = memberOf(as, by);
    for (const word of is) if (!members.has(word)) members.set(word, write);
  }
  const read = fieldReader(by);
  const word = wordReader([...members.keys()]);
  const name = reportedAs(by);
  return (json, out) => {
    const chosen = word(read(json, out.misstep), out, name);
    return chosen === undefined ? undefined : members.get(chosen);
  };
}

function byConditions(
  { by = [], when }: ChoiceEntry,
  selectors: ReadonlyArray<readonly Key[]>,
  memberOf: MemberOf,
): Choose {
  const cases = when.map((each) => ({
    holds: condition(each, by, selectors),
    write: memberOf(each.as, each.is && testedKeys(each, by)),
  }));
  const attempts = new Attempts();
  return (json, out) => {
    const chosen = cases.find(({ holds }) => {
      attempts.next();
      return holds(json, out, attempts);
    });
    attempts.end(chosen !== undefined, out.misstep);
    return chosen?.write;
  };
}

function testedKeys({ key }: ChoiceCase, by: readonly string[]): readonly Key[] {
  return key?.map((path) => ({ path })) ?? by;
}

function condition(
  each: ChoiceCase,
  by: readonly string[],
  selectors: ReadonlyArray<readonly Key[]>,
): (json: JsonObject, out: ProtoWriter, attempts: Attempts) => boolean {
  const { is, present, type } = each;
  const keys = testedKeys(each, by);
  // a field that reads the key reports what its path leads through
  const isSole = is !== undefined && selectors.some((other) => selectorName(other) === selectorName(keys));
  const read = fieldReader(keys);
  const word = is && wordReader(is);
  const name = reportedAs(keys.slice(0, 1));
  return (json, out, attempts) => {
    const value = read(json, isSole ? attempts.add : () => {});
    if (present !== undefined && present !== (value !== undefined && value !== null)) return false;
    if (type !== undefined && jsonTypeOf(value) !== type) return false;
    if (word === undefined) return true;
    const text = word(value, out, name);
    return text !== undefined && is?.includes(text) === true;
  };
}
