import type { FieldEntry, Kind, MessageTable, ProtoWriter } from "connect-rest-codec/internal";
import type { RestResponse } from "./rest-response.ts";

/**
 * The source of a field that the body table does not read: a header or a link in it (RFC 8288), the status,
 * or a path in the payload.
 */
export type HeadSource =
  | { readonly header: string; readonly rel?: string }
  | "status"
  /** True if the response has this status. */
  | { readonly status: number }
  | { readonly path: string };

/** A field: its number, its kind, and its sources. The first source with a value is used. */
export type HeadEntry = readonly [number: number, kind: Kind, ...sources: HeadSource[]];

/** The parts of a response message. A message without any of these parts is empty. */
export interface ResponseParts {
  /**
   * The table that reads the payload into the whole message or into one field. A field of type bytes may also
   * receive the raw body.
   */
  readonly body?: MessageTable | FieldEntry | undefined;
  /** Fields that are written after the body. */
  readonly head?: readonly HeadEntry[] | undefined;
  /** Custom code that writes the message as protobuf bytes in place of `body`. */
  readonly response?: ((response: RestResponse, out: ProtoWriter) => void) | undefined;
}
