/**
 * The lines of tables as data. They are what the codec's `Entry` is, with the descriptors of enums and messages in place of their
 * tables, which are named where they are printed.
 */
import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import type { ConditionModel } from "../model/rules.ts";

/** How a value is read. A text is the name of a scalar, or of a well-known type. */
export type Kind =
  | string
  | DescEnum
  | DescMessage
  | { readonly list: Kind; readonly commas?: true }
  | { readonly map: Kind; readonly keys?: string }
  | { readonly time: string | { readonly pattern: string }; readonly none?: string }
  | { readonly duration: string }
  /** A mask that speaks of a message. */
  | { readonly fieldMask: DescMessage }
  | { readonly wrapper: string }
  | { readonly unwrap: FieldEntry }
  | { readonly group: DescMessage }
  | { readonly open: DescEnum }
  | { readonly nullable: DescEnum }
  | { readonly loose: Kind };

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
