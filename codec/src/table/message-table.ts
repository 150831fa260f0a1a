/**
 * What a message is read from: one table for each message, which the decoder in
 * JavaScript and the scanner interpret.
 */
import type { Registry } from "@bufbuild/protobuf";
import type { EnumTable } from "./enum-table.ts";
import type { DurationRule, ScalarKind, TimeRule } from "./kinds.ts";
import type { MaskTable } from "./mask-table.ts";

/** How a value is read. */
export type Kind =
  | ScalarKind
  | EnumTable
  | MessageTable
  /** With `commas`, a list may also be one text, its items between commas. */
  | { readonly list: Kind; readonly commas?: true }
  /** The keys of a map are strings, unless `keys` names another type. */
  | { readonly map: Kind; readonly keys?: ScalarKind }
  /** google.protobuf.Timestamp. The text `none` means that there is no time. */
  | { readonly time: TimeRule; readonly none?: string }
  /** google.protobuf.Duration, as ProtoJSON has it or by a rule. */
  | "duration"
  | { readonly duration: DurationRule }
  /** google.protobuf.FieldMask, with names in lowerCamel or by a table. */
  | "fieldMask"
  | { readonly fieldMask: MaskTable }
  /** google.protobuf.StringValue and its siblings. */
  | { readonly wrapper: ScalarKind }
  /** A message that is written as its only field. */
  | { readonly unwrap: FieldEntry }
  /** A message in the group encoding (editions: DELIMITED). */
  | { readonly group: MessageTable }
  /** An enum beside another field that keeps its spelling: a word that the enum does not have is not lost. */
  | { readonly open: EnumTable }
  /** google.protobuf.NullValue with presence, where null is a value. */
  | { readonly nullable: EnumTable }
  /** Other JSON types are expected too: converting them is not a difference. */
  | { readonly loose: Kind }
  /** Words that stand for no value: a string, a number or a boolean that is written so. */
  | { readonly absent: readonly string[]; readonly of: Kind };

/** A key of the object, or a dotted path (see `valueAt`). */
export type Key = string | { readonly path: string };

/**
 * A field: its number, how it is read, and the keys that are tried for it, in their order. A member of a
 * choice without keys shares the object's own. In JSON that is not an object, or is a whole payload,
 * a field has no keys.
 */
export type FieldEntry = readonly [number: number, kind: Kind, ...keys: Key[]];

/** A condition that chooses a member; all that it asks must hold of the same value. */
export interface ChoiceCase {
  /** The spellings of a dotted path. Default: the choice's `by`. */
  readonly key?: readonly string[];
  /** The texts that the value may have. */
  readonly is?: readonly string[];
  readonly present?: boolean;
  /** `string`, `number`, `boolean`, `object` or `array`. */
  readonly type?: string;
  /** Nothing is read where it is left out. */
  readonly as?: FieldEntry;
}

/** A oneof whose member is the first whose condition holds. */
export interface ChoiceEntry {
  /** The name of the oneof. */
  readonly choice: string;
  /** The spellings of the key that names the member. */
  readonly by?: readonly string[];
  readonly when: readonly ChoiceCase[];
  /** The member where no condition holds. */
  readonly otherwise?: FieldEntry;
  /** The spellings of a key whose value is lost where no condition holds: the message has no field for it. */
  readonly lost?: readonly string[];
}

/**
 * A oneof whose member stands in place of the message, chosen by its JSON type.
 * A table with this has no other entry.
 */
export interface ValueEntry {
  /** The name of the oneof. */
  readonly value: string;
  readonly when: ReadonlyArray<{ readonly type: string; readonly as: FieldEntry }>;
  readonly otherwise?: FieldEntry;
}

/** One line of a table. */
export type Entry =
  | FieldEntry
  /** A oneof whose member is the first that has a key. */
  | { readonly oneOf: readonly FieldEntry[] }
  | ChoiceEntry
  | ValueEntry
  /**
   * The map that collects unknown keys as raw JSON; with `struct`, a google.protobuf.Struct.
   * Without it they are reported.
   */
  | { readonly unknown: number; readonly struct?: true }
  /** google.protobuf.Any, whose types are these. */
  | { readonly any: () => Registry };

/** What a message is read from, in the order in which it is written. */
export class MessageTable {
  /** Full name of the message. */
  readonly name: string;
  private readonly make: () => readonly Entry[];
  private made: readonly Entry[] | undefined;

  constructor(name: string, make: () => readonly Entry[]) {
    this.name = name;
    this.make = make;
  }

  /** Made when they are first needed, since tables may name each other. */
  get entries(): readonly Entry[] {
    this.made ??= this.make();
    return this.made;
  }
}

/** Makes the table of a message. */
export function table(name: string, entries: () => readonly Entry[]): MessageTable {
  return new MessageTable(name, entries);
}

/** Whether an entry is a field. */
export function isField(entry: Entry): entry is FieldEntry {
  return Array.isArray(entry);
}

/** Whether null is a value of a kind, and does not stand for nothing. */
export function holdsNull(kind: Kind): boolean {
  if (typeof kind !== "object") return false;
  if ("absent" in kind) return holdsNull(kind.of);
  return "loose" in kind ? holdsNull(kind.loose) : "nullable" in kind;
}

/** The members that a choice may read, each once. */
export function choiceMembers({ when, otherwise }: Pick<ChoiceEntry, "when" | "otherwise">): FieldEntry[] {
  const all = [...when.map(({ as }) => as), otherwise];
  const byNumber = new Map<number, FieldEntry>();
  for (const member of all) {
    if (member !== undefined && !byNumber.has(member[0])) byNumber.set(member[0], member);
  }
  return [...byNumber.values()];
}
