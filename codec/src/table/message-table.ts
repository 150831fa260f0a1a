/**
 * Describes how a message is read. Each message has one table, which both the JavaScript decoder and the
 * scanner interpret.
 */
import type { Registry } from "@bufbuild/protobuf";
import type { EnumTable } from "./enum-table.ts";
import type { DurationRule, ScalarKind, TimeRule } from "./kinds.ts";
import type { MaskTable } from "./mask-table.ts";

/** The way a value is read. */
export type Kind =
  | ScalarKind
  | EnumTable
  | MessageTable
  /** A list. With `commas`, the list may also be a single comma-separated string. */
  | { readonly list: Kind; readonly commas?: true }
  /** A map. The keys are strings, unless `keys` names another type. */
  | { readonly map: Kind; readonly keys?: ScalarKind }
  /** google.protobuf.Timestamp. A value that equals `none` means no time. */
  | { readonly time: TimeRule; readonly none?: string }
  /** google.protobuf.Duration, in ProtoJSON or by a rule. */
  | "duration"
  | { readonly duration: DurationRule }
  /** google.protobuf.FieldMask, with names in lowerCamel or by a table. */
  | "fieldMask"
  | { readonly fieldMask: MaskTable }
  /** google.protobuf.StringValue and the other wrappers. */
  | { readonly wrapper: ScalarKind }
  /** A message whose JSON is the value of its only field. With `orNull`, null leaves the field unset. */
  | { readonly unwrap: FieldEntry; readonly orNull?: true }
  /** A message in the group encoding (editions: DELIMITED). */
  | { readonly group: MessageTable }
  /** An enum next to a field that keeps the spelling: an unknown name is not lost. */
  | { readonly open: EnumTable }
  /** google.protobuf.NullValue in a field with presence, for which null is a value. */
  | { readonly nullable: EnumTable }
  /** A value that may have other JSON types: converting it is not reported as a difference. */
  | { readonly loose: Kind }
  /** A value whose JSON is the content of a string. */
  | { readonly jsonText: Kind }
  /** A value with words that mean "no value": a string, or a number or boolean with the same spelling. */
  | { readonly absent: readonly string[]; readonly of: Kind };

/** A key of the object, or a dotted path (see `valueAt`). */
export type Key = string | { readonly path: string };

/**
 * A field: its number, the way it is read, and its keys in the order in which they are tried. A choice member
 * without keys shares the object of the outer message. A field whose JSON is not in an object, or is a whole
 * payload, has no keys.
 */
export type FieldEntry = readonly [number: number, kind: Kind, ...keys: Key[]];

/** A condition that selects a member. All of its tests apply to the same value. */
export interface ChoiceCase {
  /** The spellings of a dotted path. The default is `by` of the choice. */
  readonly key?: readonly string[];
  /** The values, as strings, that meet the condition. */
  readonly is?: readonly string[];
  readonly present?: boolean;
  /** The JSON type of the value: `string`, `number`, `boolean`, `object` or `array`. */
  readonly type?: string;
  /** The selected member. Without it, the condition selects no member. */
  readonly as?: FieldEntry;
}

/** A oneof that selects the first member whose condition is true. */
export interface ChoiceEntry {
  /** The name of the oneof. */
  readonly choice: string;
  /** The spellings of the key whose value names the member. */
  readonly by?: readonly string[];
  readonly when: readonly ChoiceCase[];
  /** The member that is selected if no condition is true. */
  readonly otherwise?: FieldEntry;
}

/**
 * A oneof whose member replaces the message in JSON, selected by JSON type. A table with this entry has no
 * other entry.
 */
export interface ValueEntry {
  /** The name of the oneof. */
  readonly value: string;
  readonly when: ReadonlyArray<{ readonly type: string; readonly as: FieldEntry }>;
  readonly otherwise?: FieldEntry;
}

/**
 * A message whose JSON is an array: its items, which have no keys. A table with this entry has no other
 * entry.
 */
export interface TupleEntry {
  readonly tuple: readonly FieldEntry[];
  /** The repeated field of all further items, with the kind of one item. */
  readonly rest?: FieldEntry;
}

/** One line of a table. */
export type Entry =
  | FieldEntry
  /** A oneof that selects the first member with a key in the object. */
  | { readonly oneOf: readonly FieldEntry[] }
  | ChoiceEntry
  | ValueEntry
  | TupleEntry
  /**
   * The map that collects unknown keys as raw JSON; with `struct`, a google.protobuf.Struct. Without this
   * entry, unknown keys are reported.
   */
  | { readonly unknown: number; readonly struct?: true }
  /** google.protobuf.Any with these types. */
  | { readonly any: () => Registry };

/** The fields of a message, in the order of writing. */
export class MessageTable {
  /** The full name of the message. */
  readonly name: string;
  private readonly make: () => readonly Entry[];
  private made: readonly Entry[] | undefined;

  constructor(name: string, make: () => readonly Entry[]) {
    this.name = name;
    this.make = make;
  }

  /** The entries, created on first use, since tables may refer to each other. */
  get entries(): readonly Entry[] {
    this.made ??= this.make();
    return this.made;
  }
}

/** Creates the table of a message. */
export function table(name: string, entries: () => readonly Entry[]): MessageTable {
  return new MessageTable(name, entries);
}

/** Reports whether an entry is a field. */
export function isField(entry: Entry): entry is FieldEntry {
  return Array.isArray(entry);
}

/** Reports whether null is a value of a kind, not absence. */
export function holdsNull(kind: Kind): boolean {
  if (typeof kind !== "object") return false;
  if ("absent" in kind) return holdsNull(kind.of);
  return "loose" in kind ? holdsNull(kind.loose) : "nullable" in kind;
}

/** Returns the members that a choice may select, without duplicates. */
export function choiceMembers({ when, otherwise }: Pick<ChoiceEntry, "when" | "otherwise">): FieldEntry[] {
  const all = [...when.map(({ as }) => as), otherwise];
  const byNumber = new Map<number, FieldEntry>();
  for (const member of all) {
    if (member !== undefined && !byNumber.has(member[0])) byNumber.set(member[0], member);
  }
  return [...byNumber.values()];
}
