/**
 * The lines of tables as data. They are what the codec's `Entry` is, with the descriptors of enums and
 * messages in place of their tables, which are named where they are printed.
 */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import type { ConditionModel } from "../model/rules.ts";

/**
 * How a value is read: the name of a scalar or of a well-known type, an enum, a message,
 * or rules that the codec knows.
 */
export type Kind = string | DescEnum | DescMessage | KindRules;

/** Rules with the kinds that they are for. The types of the codec check them where they are printed. */
export interface KindRules {
  readonly [rule: string]: Kind | FieldEntry | readonly string[] | true | undefined;
}

/** Whether a kind is an enum or a message. */
export function isDescriptor(kind: Exclude<Kind, string>): kind is DescEnum | DescMessage {
  return typeof kind.typeName === "string";
}

/** A key, or a path. */
export type Key = string | { readonly path: string };

/** A field and the keys that it is read from. */
export type FieldEntry = readonly [number: number, kind: Kind, ...keys: Key[]];

/** When a member of a oneof is chosen. Without keys it is by the discriminator. */
export interface ChoiceCase extends Pick<ConditionModel, "present" | "type"> {
  readonly key?: readonly string[];
  readonly is?: readonly string[];
  readonly as: FieldEntry | undefined;
}

/** One line of a table. */
export type Entry =
  | FieldEntry
  | { readonly oneOf: readonly FieldEntry[] }
  | {
      readonly choice: string;
      readonly by: readonly string[] | undefined;
      readonly when: readonly ChoiceCase[];
      readonly otherwise: FieldEntry | undefined;
      readonly lost: readonly string[] | undefined;
    }
  | {
      readonly value: string;
      readonly when: ReadonlyArray<{ readonly type: string; readonly as: FieldEntry }>;
      readonly otherwise: FieldEntry | undefined;
    }
  | { readonly unknown: number; readonly struct?: true };

/** Where a field comes from that is not in the body. */
export type HeadSource =
  | { readonly header: string; readonly rel?: string }
  | "status"
  | { readonly status: number }
  | { readonly path: string };

/** A field from the head of a response. */
export type HeadEntry = readonly [number: number, kind: Kind, ...sources: HeadSource[]];
