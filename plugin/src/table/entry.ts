/**
 * The lines of a table as data. They match the codec's `Entry`, except that enums and messages are
 * represented by their descriptors: the names of their tables are known only when the tables are printed.
 */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import type { ConditionModel } from "../model/rules.ts";

/**
 * The way a value is read: the name of a scalar or well-known type, an enum, a message, or rules of the
 * codec.
 */
export type Kind = string | DescEnum | DescMessage | KindRules;

/**
 * A rule, with the kind to which it applies. The compiler checks the printed rules against the types of the
 * codec.
 */
export interface KindRules {
  readonly [rule: string]: Kind | FieldEntry | readonly string[] | true | undefined;
}

/** Reports whether a kind is an enum or a message. */
export function isDescriptor(kind: Exclude<Kind, string>): kind is DescEnum | DescMessage {
  return typeof kind.typeName === "string";
}

/** A key, or a path. */
export type Key = string | { readonly path: string };

/** A field and the keys that it is read from. */
export type FieldEntry = readonly [number: number, kind: Kind, ...keys: Key[]];

/**
 * The condition under which a member of a oneof is selected. A condition without keys tests the
 * discriminator.
 */
export interface ChoiceCase extends Pick<ConditionModel, "present" | "type"> {
  readonly key?: readonly string[];
  readonly is?: readonly string[];
  readonly as: FieldEntry | undefined;
}

/** A line of a table. */
export type Entry =
  | FieldEntry
  | { readonly oneOf: readonly FieldEntry[] }
  | {
      readonly choice: string;
      readonly by: readonly string[] | undefined;
      readonly when: readonly ChoiceCase[];
      readonly otherwise: FieldEntry | undefined;
    }
  | {
      readonly value: string;
      readonly when: ReadonlyArray<{ readonly type: string; readonly as: FieldEntry }>;
      readonly otherwise: FieldEntry | undefined;
    }
  | { readonly tuple: readonly FieldEntry[]; readonly rest: FieldEntry | undefined }
  | { readonly unknown: number; readonly struct?: true };

/** The source of a field outside of the body. */
export type HeadSource =
  | { readonly header: string; readonly rel?: string }
  | "status"
  | { readonly status: number }
  | { readonly path: string };

/** A field from the head of a response. */
export type HeadEntry = readonly [number: number, kind: Kind, ...sources: HeadSource[]];
