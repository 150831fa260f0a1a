import type { Lock } from "../lock/lock.ts";
import type { Schema, SchemaNode } from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import type { Field, FieldType, Label, Message, OptionValue } from "../proto/model.ts";
import type { Cause } from "../report/causes.ts";
import type { Report } from "../report/report.ts";

/** The place where a type is used. It determines where types are nested and how losses are reported. */
export interface Spot {
  /** The message that contains inline types; undefined for the types of the package. */
  readonly root: Message | undefined;
  /** The words of the fields on the path from the root. */
  readonly words: readonly string[];
  /** The field, for the report. */
  readonly element: string;
  /** Whether the value is part of a request. */
  readonly request: boolean;
  /** Whether values are written as strings, as in forms and queries. */
  readonly textual?: boolean;
}

/** The type of a field, derived from its schema. */
export interface Typed {
  readonly type: FieldType;
  readonly label: Exclude<Label, "optional">;
  /** The rules of `connectrest.v1.field`. */
  readonly rules: Readonly<Record<string, OptionValue>>;
  /** The constraints of `buf.validate.field`. */
  readonly checks: Readonly<Record<string, OptionValue>> | undefined;
  readonly weakened: Cause | undefined;
}

/** A field without a name and a number. */
export interface FieldDraft {
  /** The identity in the lock: the key on the wire. */
  readonly key: string;
  /** The key on the wire; undefined for members of oneofs without a key. */
  readonly wire: string | undefined;
  readonly typed: Typed;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly comment: string;
  readonly deprecated: boolean;
  readonly place: string;
  /** Further rules, which precede the rules of the type. */
  readonly rules?: Readonly<Record<string, OptionValue>>;
  /** The number. Default: the number that the lock keeps. */
  readonly number?: number;
  /** The words of the name. Default: the words of the key on the wire. */
  readonly words?: readonly string[];
  readonly oneof?: Field["oneof"];
}

/** The functions of the planner that its parts use. */
export interface Planning {
  readonly schemas: Schemas;
  readonly report: Report;
  readonly lock: Lock;
  typeOf(schema: SchemaNode, spot: Spot): Typed;
  messageOf(schema: Schema, spot: Spot): Message;
  /**
   * Creates a message that does not correspond to a schema: one that contains a list, or the alternatives of
   * a union.
   */
  newMessage(source: string, words: readonly string[], spot: Spot): Message;
  addField(message: Message, draft: FieldDraft): Field;
  isInRequest(schema: Schema, spot: Spot): boolean;
  /** Returns a name for a oneof. Oneofs and fields share a scope. */
  oneofName(message: Message, words: readonly string[]): string;
}

export function scalar(name: string): FieldType {
  return { kind: "scalar", name };
}

const STRUCT_FILE = "google/protobuf/struct.proto";

export const VALUE: FieldType = { kind: "foreign", name: "google.protobuf.Value", file: STRUCT_FILE };
export const STRUCT: FieldType = { kind: "foreign", name: "google.protobuf.Struct", file: STRUCT_FILE };
export const LIST_VALUE: FieldType = {
  kind: "foreign",
  name: "google.protobuf.ListValue",
  file: STRUCT_FILE,
};
export const TIMESTAMP: FieldType = {
  kind: "foreign",
  name: "google.protobuf.Timestamp",
  file: "google/protobuf/timestamp.proto",
};
export const HTTP_BODY: FieldType = {
  kind: "foreign",
  name: "google.api.HttpBody",
  file: "google/api/httpbody.proto",
};

export function plainType(type: FieldType, weakened?: Cause): Typed {
  return { type, label: "", rules: {}, checks: undefined, weakened };
}
