import type { FieldEntry, Kind, MessageTable, ProtoWriter } from "connect-rest-codec/internal";
import type { RestResponse } from "./rest-response.ts";

/**
 * The source of a field that is not in the body: a header, or one of its links (RFC 8288); the status; a path
 * in the payload.
 */
export type HeadSource =
  | { readonly header: string; readonly rel?: string }
  | "status"
  /** Whether the status equals this one. */
  | { readonly status: number }
  | { readonly path: string };

/** A field: its number, its kind, and its sources, of which the first that has a value is used. */
export type HeadEntry = readonly [number: number, kind: Kind, ...sources: HeadSource[]];

/** The parts of a response message. A message without any of these is empty. */
export interface ResponseParts {
  /**
   * The content of the payload: the message, or one field of it. A field of type bytes may also take the raw
   * body.
   */
  readonly body?: MessageTable | FieldEntry | undefined;
  /** Fields that are written after the body. */
  readonly head?: readonly HeadEntry[] | undefined;
  /** Custom code that writes protobuf bytes in place of `body`. */
  readonly response?: ((response: RestResponse, out: ProtoWriter) => void) | undefined;
}
