/** What generated adapters say of their decoders, so that the scanner reads the same without calling them. */
import type { EnumTable } from "../decode/enum-table.ts";
import type { Decode, DecodeValue } from "../decode/proto-writer.ts";
import type { ScalarKind } from "../decode/scalar-writer.ts";
import type { TimeRule } from "../decode/timestamp.ts";

/** A generated decoder, of an object or of any JSON. */
export type AnyDecode = Decode | DecodeValue;

/** How a value is read. null: as only the decoder can. */
export type ScanKind =
  | ScalarKind
  | EnumTable
  | AnyDecode
  | null
  /** With `commas`, it may be one text, too, with items between commas. */
  | { readonly list: ScanKind; readonly commas?: true }
  /** A map with keys of type string. */
  | { readonly map: ScanKind }
  | { readonly time: TimeRule; readonly none?: string }
  | { readonly wrapper: ScalarKind }
  /** A message that is written as its only field. */
  | { readonly unwrap: ScanField }
  /** Other JSON types are expected, too. */
  | { readonly loose: ScanKind };

/** A key of the object, or the keys of a path below it. */
export type ScanKey = string | readonly [string, ...string[]];

/** A field: its number, how it is read, and the keys that are tried for it, in their order. */
export type ScanField = readonly [number: number, kind: ScanKind, ...keys: ScanKey[]];

/** A field that is chosen, which is not read from below the object's keys. */
export type ScanMember = readonly [number: number, kind: ScanKind, ...keys: string[]];

/** A condition for a member of a oneof. The keys are spellings of one. A member without keys shares those of the object. */
export interface ScanCase {
  readonly key: readonly string[];
  readonly is?: readonly string[];
  readonly present?: boolean;
  readonly type?: string;
  readonly as: ScanMember;
}

/** A oneof whose member is the first whose condition holds. */
export interface ScanChoice {
  readonly when: readonly ScanCase[];
  /** The member where none does. */
  readonly otherwise?: ScanMember;
  /** The keys under which nothing may stand where none does. */
  readonly known?: readonly string[];
}

/** One thing that a decoder reads. */
export type ScanEntry =
  | ScanField
  | ScanChoice
  /** The numbers of fields of which one may come. */
  | { readonly oneOf: readonly number[] }
  /**
   * The field that collects unknown keys as raw JSON; null where they are collected as only the decoder can. Without it they are
   * reported.
   */
  | { readonly unknown: number | null }
  /** What a value of a JSON type is read as, where the decoder takes values of several types. */
  | { readonly type: string; readonly as: ScanField };

/** The list of a page, whose items are messages, in place of a payload. */
export interface ScanPage {
  readonly item: AnyDecode;
  /** By which path the list is reported. */
  readonly path: string;
}

/** What a body is read as: a message, the only field of one, or a page. */
export type ScanPayload = AnyDecode | ScanField | ScanPage;

/** All that a decoder reads, in the order in which it writes. */
export type ScanTable = readonly ScanEntry[];

const TABLES = new WeakMap<AnyDecode, () => ScanTable>();

/** Says what a decoder reads. Called where generated code is loaded; the table is made when it is first needed. */
export function scannable(decode: AnyDecode, table: () => ScanTable): void {
  TABLES.set(decode, table);
}

/** What a decoder reads; undefined where that is not known. */
export function scanTableOf(decode: AnyDecode): ScanTable | undefined {
  return TABLES.get(decode)?.();
}
