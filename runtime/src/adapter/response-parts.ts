import type { FieldEntry, Kind, MessageTable, ProtoWriter } from "connect-rest-codec/internal";
import type { RestResponse } from "./rest-response.ts";

/**
 * Where a field comes from that is not in the body: a header, or one of its links (RFC 8288); the status;
 * a path in the payload.
 */
export type HeadSource =
  | { readonly header: string; readonly rel?: string }
  | "status"
  /** Whether the status is this one. */
  | { readonly status: number }
  | { readonly path: string };

/** A field: its number, how it is read, and its sources, of which the first that has a value counts. */
export type HeadEntry = readonly [number: number, kind: Kind, ...sources: HeadSource[]];

/** What a response message is made of. A message without any of these is empty. */
export interface ResponseParts {
  /**
   * What the payload is: the message, or one field of it. A field of type bytes
   * may also take the body as it came.
   */
  readonly body?: MessageTable | FieldEntry | undefined;
  /** Fields that are written behind the body. */
  readonly head?: readonly HeadEntry[] | undefined;
  /** Writes protobuf bytes by hand, in place of `body`. */
  readonly response?: ((response: RestResponse, out: ProtoWriter) => void) | undefined;
}
