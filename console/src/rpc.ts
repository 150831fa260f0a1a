import type { JsonValue } from "@bufbuild/protobuf";

/** A name and a value of a header. */
export type Header = readonly [name: string, value: string];

/** A request of the Connect protocol (https://connectrpc.com/docs/protocol) with JSON. */
export interface Request {
  readonly message: JsonValue;
  readonly headers: readonly Header[];
  /** Undefined for no deadline. */
  readonly timeoutMs: number | undefined;
}

/** A detail of an error on the wire. */
export interface WireDetail {
  readonly type: string;
  /** The message as base64. */
  readonly value: string;
}

/** An error of the Connect protocol. */
export class RpcError extends Error {
  readonly code: string;
  readonly details: readonly WireDetail[];
  /** The value of `WWW-Authenticate`, if the token was not sufficient. */
  readonly challenge: string | undefined;

  constructor(code: string, message: string, details: readonly WireDetail[] = [], challenge?: string) {
    super(message);
    this.code = code;
    this.details = details;
    this.challenge = challenge;
  }
}
