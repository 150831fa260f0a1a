import { valueWriter } from "../decode/payload.ts";
import { EnumTable } from "../table/enum-table.ts";
import type { KeyTree } from "../table/key-tree.ts";
import {
  exclusiveMembers,
  firstKey,
  holdsSelector,
  keysOnPaths,
  reportedAs,
  sharedKeys,
  soleSelectors,
} from "../table/keys.ts";
import {
  type ChoiceCase,
  type ChoiceEntry,
  choiceMembers,
  type Entry,
  type FieldEntry,
  isField,
  type Key,
  type Kind,
  MessageTable,
} from "../table/message-table.ts";
import { EmptyTable, ListValueTable, StructTable, ValueTable } from "../table/well-known.ts";
import type { HostReader } from "./host-reader.ts";
import {
  COLLECTOR,
  FIELD,
  FIELD_COMMAS,
  FIELD_LOOSE,
  FIELD_OR_NULL,
  FIELD_WORDS,
  KIND,
  MESSAGE,
  MESSAGE_WORDS,
  PATH_WORDS,
  ROW_CHOICE,
  ROW_OWN,
  ROW_SHARED,
  ROW_WORDS,
  TEST,
  TEXT_BYTES,
  TYPES,
  WORD_AS_NUMBER,
  WORD_AS_STRING,
  WORD_WORDS,
} from "./layout.ts";
import { type KeyUse, MessageWriter, type Place } from "./message-writer.ts";
import {
  isEnum,
  isReadable,
  isReadableKind,
  isSplit,
  type PagePayload,
  type Payload,
  stepsTo,
  typesOf,
} from "./readable.ts";
import { durationReading, HANDOVER, type Reading, timeReading } from "./reading.ts";
import { ENVELOPE_RANK } from "./reports.ts";
import { byteLength, type HashTable, TableMemory } from "./table-memory.ts";
import { DELIMITED, tagOf, VARINT, varint, WIRE_TYPES } from "./tags.ts";
import type { WasmInstance } from "./wasm.ts";

/** A number of ranks that exceeds every stack, so that JavaScript handles the message. */
const UNREADABLE = 0xff_ffff;

/** The names of kinds. */
const KIND_NAMES: readonly string[] = Object.keys(KIND).filter((name) => name !== "textBytes");

/** The structure around a payload. */
export interface Envelope {
  /** The content of each key. Known keys are not read. A body with errors is left to the decoder. */
  readonly keys: ReadonlyMap<string, Envelope | "payload" | "status" | "errors" | "known">;
  /** Whether all other keys count as known. */
  readonly isOpen: boolean;
}

/**
 * The lowest rank of objects inside paths. It is above the ranks of fields and below the ranks of envelopes.
 */
const PATH_RANK = 0x1_0000;

/** Writes the tables of messages into the memory of the scanner, each on its first use. */
export class Tables {
  private readonly wasm: WasmInstance;
  private readonly host: HostReader;
  private readonly memory: TableMemory;
  private readonly slot: number;
  private readonly messages = new Map<MessageTable, number>();
  private readonly enums = new Map<EnumTable, number>();
  /** The keys by which reports name fields. */
  private readonly names = new Map<number, string>();
  /** The fields that are read from only one key. */
  private readonly simple = new Set<number>();
  private placeCount = 0;

  constructor(wasm: WasmInstance, host: HostReader) {
    this.wasm = wasm;
    this.host = host;
    this.memory = new TableMemory(wasm);
    this.slot = this.writeField(0, { kind: KIND.slot });
  }

  /** Returns the root field of a body. */
  body(payload: Payload, envelope: Envelope | "payload", path: readonly string[] = []): number {
    if (envelope !== "payload") return this.envelope(payload, envelope, path);
    if ("item" in payload) return this.page(payload);
    if (payload instanceof MessageTable) {
      return this.writeField(0, { kind: KIND.payload, argument: this.message(payload) });
    }
    const argument = this.field(payload);
    this.simple.add(argument);
    return this.writeField(0, { kind: KIND.payload, argument }, true);
  }

  private page({ item, path }: PagePayload): number {
    const argument = this.field([1, { list: item }]);
    this.names.set(argument, path);
    return this.writeField(0, { kind: KIND.page, argument });
  }

  private envelope(payload: Payload, { keys, isOpen }: Envelope, path: readonly string[]): number {
    const message = new MessageWriter();
    for (const [key, inner] of keys) {
      if (inner === "known") {
        message.known(key);
        continue;
      }
      const field =
        inner === "status" || inner === "errors"
          ? this.writeField(0, { kind: KIND[inner] })
          : this.body(payload, inner, [...path, key]);
      message.field(field, [[message.keys, key]]);
    }
    const argument = this.wasm.allocate(MESSAGE_WORDS * 4);
    message.place = this.place(ENVELOPE_RANK, path);
    this.writeMessage(argument, message, isOpen ? COLLECTOR.ignore : COLLECTOR.none, 0);
    return this.writeField(0, { kind: KIND.envelope, argument });
  }

  /** Returns the report number of an object that is not a message. Lower numbers are reported first. */
  private place(rank: number, path: readonly string[]): number {
    const field = this.writeField(0, { kind: KIND.handover, argument: rank + this.placeCount++ });
    this.names.set(field, path.join("."));
    return field;
  }

  /**
   * Creates the report numbers of the objects inside the paths of a message. Nested objects get lower
   * numbers.
   */
  private places(tree: KeyTree, message: MessageWriter, path: readonly string[] = []): void {
    for (const [key, below] of tree) {
      if (below === "all") continue;
      const steps = [...path, key];
      this.places(below, message, steps);
      message.places.set(JSON.stringify(steps), this.place(PATH_RANK, steps));
    }
  }

  /** Returns the table of a message. */
  message(table: MessageTable): number {
    const known = this.messages.get(table);
    if (known !== undefined) return known;
    const at = this.wasm.allocate(MESSAGE_WORDS * 4);
    // register the message before its fields, which may have the same type
    this.messages.set(table, at);
    if (table === EmptyTable) {
      this.writeMessage(at, new MessageWriter(), COLLECTOR.ignore, 0);
    } else if (isReadable(table)) {
      this.writeTable(at, table);
    } else {
      this.wasm.words[at / 4 + MESSAGE.ranks] = UNREADABLE;
    }
    return at;
  }

  /** Returns the key by which reports name a field. */
  nameOf(field: number): string {
    return this.names.get(field) ?? "";
  }

  /** Returns the declared type of a scalar field, or of the items of a list. */
  typeOf(field: number): string {
    const { words } = this.wasm;
    const kind = words[field / 4 + FIELD.kind] ?? 0;
    if (kind === KIND.list) return this.typeOf(words[field / 4 + FIELD.argument] ?? 0);
    return KIND_NAMES[kind] ?? "";
  }

  /** Reports whether a field is read from a single key whose value nothing else uses. */
  isSimple(field: number): boolean {
    return this.simple.has(field);
  }

  /** Returns the tag of a field; for a list, the tag of its items. */
  tagOf(field: number): number {
    const { words, bytes } = this.wasm;
    const isList = words[field / 4 + FIELD.kind] === KIND.list;
    const at = isList ? (words[field / 4 + FIELD.argument] ?? 0) : field;
    const start = at + FIELD.tag * 4;
    const written = bytes.subarray(start, start + (words[at / 4 + FIELD.tagLength] ?? 0));
    return written.reduceRight((tag, byte) => tag * 128 + (byte & 127), 0);
  }

  private writeTable(at: number, { entries }: MessageTable): void {
    const message = new MessageWriter();
    const oneofs: Array<readonly number[]> = [];
    const collects = entries.some((entry) => "unknown" in entry);
    let collector: number = COLLECTOR.none;
    let collectorTag = tagOf(0, DELIMITED);
    for (const entry of entries) {
      if (isField(entry)) {
        this.keyed(entry, message, collects);
      } else if ("oneOf" in entry) {
        const ranks = entry.oneOf.map((field) => [field[0], this.keyed(field, message, collects)] as const);
        const members = exclusiveMembers(entry, entries).map(([number]) => number);
        const of = ranks.filter(([number]) => members.includes(number)).map(([, rank]) => rank);
        if (of.length > 1) oneofs.push(of);
      } else if ("choice" in entry) {
        this.choice(entry, entries, message);
      } else if ("unknown" in entry) {
        collector = entry.struct === true ? COLLECTOR.struct : COLLECTOR.raw;
        collectorTag = tagOf(entry.unknown, DELIMITED);
      }
    }
    this.places(keysOnPaths(entries) ?? new Map(), message);
    this.writeMessage(at, message, collector, collectorTag, oneofs);
    for (const field of message.simple()) this.simple.add(field);
  }

  /** Writes a field that is read from keys. Returns its rank. */
  private keyed(entry: FieldEntry, message: MessageWriter, collects: boolean): number {
    const [number, kind, ...keys] = entry;
    const field = this.field(entry);
    const name = reportedAs(keys);
    this.names.set(field, name);
    // unknown words of an enum are among the unknown keys that the message collects
    if (!(collects && isEnum(kind))) this.host.add(field, valueWriter(kind, number), name);
    const places = keys.map((key) => this.placeOf(key, message));
    return message.field(field, places);
  }

  /** Returns the key at the end of a path, with the object that contains it. */
  private placeOf(key: Key, message: MessageWriter): Place {
    const steps = stepsTo(key);
    return [this.keysBelow(steps.slice(0, -1), message), steps.at(-1) ?? ""];
  }

  /**
   * Returns the keys that are read in the object at a path. The address of the object's table is set when the
   * table is written.
   */
  private keysBelow(path: readonly string[], message: MessageWriter): Map<string, KeyUse> {
    if (path.length === 0) return message.keys;
    const name = JSON.stringify(path);
    const known = message.paths.get(name);
    if (known !== undefined) return known.keys;
    const at = this.wasm.allocate(PATH_WORDS * 4);
    const field = this.writeField(0, { kind: KIND.path, argument: at });
    message.field(field, [[this.keysBelow(path.slice(0, -1), message), path.at(-1) ?? ""]]);
    const keys = new Map<string, KeyUse>();
    message.paths.set(name, { at, keys });
    return keys;
  }

  private choice(choice: ChoiceEntry, entries: readonly Entry[], message: MessageWriter): void {
    const { by = [], when, otherwise } = choice;
    const members: Array<readonly [field: number, slot: number]> = [];
    const member = (field: FieldEntry): number => {
      const [, kind, ...keys] = field;
      if (keys.length === 0 && kind instanceof MessageTable) message.share(sharedKeys(kind));
      const at = this.field(field);
      const slot = keys.length === 0 ? -1 : message.slot(keys.map(firstKey), this.slot);
      return members.push([at, slot]) - 1;
    };
    const cases = when.flatMap((each) =>
      each.as === undefined ? [] : this.cases(each, by, member(each.as), message),
    );
    const last = otherwise === undefined ? -1 : member(otherwise);
    const sole = soleSelectors(choice, entries)
      .filter((keys) => !choiceMembers(choice).some((field) => holdsSelector(field, keys)))
      .map((keys) => message.slot(keys.map(firstKey), this.slot));
    const slots = [...new Set(members.map(([, slot]) => slot))].filter((slot) => slot >= 0);
    // the rank of the selected member comes after the ranks of the fields before it
    const rank = message.rank(this.slot);
    message.choices.push([
      rank,
      this.memory.write(sole),
      sole.length,
      this.memory.write(cases.flat()),
      cases.length,
      last,
      this.memory.write(members.flat()),
      this.memory.write(slots),
      slots.length,
      1,
    ]);
  }

  private cases(
    { key, is, present, type }: ChoiceCase,
    by: readonly string[],
    member: number,
    message: MessageWriter,
  ): number[][] {
    const slot = message.slot(key ?? by, this.slot);
    if (is !== undefined) {
      return is.map((word) => [member, slot, TEST.word, this.memory.text(word), byteLength(word), 0]);
    }
    const test =
      present !== undefined ? (present ? TEST.present : TEST.absent) : TEST[type as keyof typeof TEST];
    return [[member, slot, test, 0, 0, 0]];
  }

  /** Returns the address of a field. */
  private field([number, kind]: FieldEntry): number {
    const isLoose = typeof kind === "object" && "loose" in kind;
    return this.writeField(number, this.reading(number, isLoose ? kind.loose : kind), isLoose);
  }

  private reading(number: number, kind: Kind): Reading {
    if (!isReadableKind(kind)) return HANDOVER;
    if (kind === "duration") return durationReading(undefined);
    if (typeof kind === "string") {
      const code = (KIND as Readonly<Record<string, number>>)[kind];
      const argument = kind === "textBytes" ? TEXT_BYTES : 0;
      return code === undefined ? HANDOVER : { kind: code, wireType: WIRE_TYPES[kind] ?? VARINT, argument };
    }
    if (kind instanceof MessageTable) return this.messageReading(kind);
    if (kind instanceof EnumTable) {
      return { kind: KIND.enum, argument: this.enumTable(kind), wireType: VARINT };
    }
    if ("open" in kind) return this.reading(number, kind.open);
    if ("list" in kind) {
      const flags = kind.commas && isSplit(kind.list) ? FIELD_COMMAS : undefined;
      const argument = this.field([number, kind.list]);
      if (kind.list instanceof MessageTable) this.host.add(argument, valueWriter(kind.list, number), "");
      return { kind: KIND.list, argument, flags };
    }
    if ("map" in kind) return { kind: KIND.map, argument: this.field([2, kind.map]) };
    if ("wrapper" in kind) return { kind: KIND.wrapper, argument: this.field([1, kind.wrapper]) };
    if ("unwrap" in kind) {
      return { kind: KIND.unwrap, argument: this.field(kind.unwrap), flags: kind.orNull && FIELD_OR_NULL };
    }
    if ("duration" in kind) return durationReading(kind.duration);
    return "time" in kind ? timeReading(kind.time, kind.none, (text) => this.memory.text(text)) : HANDOVER;
  }

  private messageReading(table: MessageTable): Reading {
    if (table === ValueTable) return { kind: KIND.value, flags: FIELD_OR_NULL };
    if (table === StructTable) return { kind: KIND.struct };
    if (table === ListValueTable) return { kind: KIND.listValue };
    const types = typesOf(table);
    if (types === undefined) return { kind: KIND.message, argument: this.message(table) };
    const known = this.messages.get(table);
    if (known !== undefined) return { kind: KIND.byType, argument: known };
    const argument = this.wasm.allocate(TYPES.length * 4);
    this.messages.set(table, argument);
    const fields = TYPES.map((type) => types.find((each) => each.type === type)?.as);
    this.memory.fill(
      argument,
      fields.map((field) => (field === undefined ? 0 : this.field(field))),
    );
    return { kind: KIND.byType, argument };
  }

  private enumTable(table: EnumTable): number {
    const known = this.enums.get(table);
    if (known !== undefined) return known;
    const words = table.words();
    const rows = this.memory.hashed(
      words.map(({ word, number, asString, asNumber }) => {
        const flags = (asString ? WORD_AS_STRING : 0) | (asNumber ? WORD_AS_NUMBER : 0);
        return [word, [number, flags]];
      }),
      WORD_WORDS,
    );
    const at = this.memory.write([rows.mask, rows.at]);
    this.enums.set(table, at);
    return at;
  }

  private writeMessage(
    at: number,
    message: MessageWriter,
    collector: number,
    collectorTag: number,
    oneofs: ReadonlyArray<readonly number[]> = [],
  ): void {
    const rows = this.rowsOf(message.keys, message);
    for (const [path, { at: start, keys }] of message.paths) {
      const below = this.rowsOf(keys, message);
      const place = message.places.get(path);
      const others = message.isShared ? COLLECTOR.left : COLLECTOR.none;
      this.memory.fill(start, [
        below.at,
        below.mask,
        place === undefined ? COLLECTOR.ignore : others,
        place ?? 0,
      ]);
    }
    this.memory.fill(at, [
      rows.at,
      rows.mask,
      message.ranks.length,
      collector,
      collectorTag,
      this.memory.write(message.choices.flat()),
      message.choices.length,
      message.isShared ? 1 : 0,
      this.memory.write(oneofs.flatMap((ranks) => [ranks.length, ...ranks])),
      oneofs.length,
      message.place,
      1,
    ]);
  }

  private rowsOf(keys: ReadonlyMap<string, KeyUse>, { ranks }: MessageWriter): HashTable {
    return this.memory.hashed(
      [...keys].map(([key, { targets, isOwn, isShared, isChoice }]) => {
        const flags = (isShared ? ROW_SHARED : 0) | (isOwn ? ROW_OWN : 0) | (isChoice ? ROW_CHOICE : 0);
        const fields = targets.flatMap((target) => [target, ranks[target & 0xffff] ?? 0]);
        const [target = 0, field = 0] = targets.length === 1 && !isShared ? fields : [];
        return [key, [target, field, this.memory.write(fields), targets.length, flags]];
      }),
      ROW_WORDS,
    );
  }

  private writeField(
    number: number,
    { kind, argument = 0, wireType = DELIMITED, none, flags = 0 }: Reading,
    isLoose = false,
  ): number {
    const text = none === undefined ? [0, 0] : [this.memory.text(none), byteLength(none)];
    const tag = varint(tagOf(number, wireType));
    const words = [kind, tag.length, 0, 0, argument, flags | (isLoose ? FIELD_LOOSE : 0), ...text];
    const at = this.wasm.allocate(FIELD_WORDS * 4);
    this.memory.fill(at, words);
    this.wasm.bytes.set(tag, at + FIELD.tag * 4);
    return at;
  }
}
