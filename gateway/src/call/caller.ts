import { randomUUID } from "node:crypto";
import type { Subject } from "connect-rest-authorization";

/**
 * The caller: its address, the ID of its request and, if callers are authorized, the subject of its token.
 */
export interface Caller {
  readonly requestId: string;
  /** The client's IP address. */
  readonly client: string;
  /** The subject of the token; undefined if no token is required. */
  readonly subject?: Subject | undefined;
}

/** The header of the request ID, in requests and responses. */
export const REQUEST_ID_HEADER = "x-request-id";

/**
 * Returns the client's request ID if it is safe to repeat (at most 128 letters, digits and `._-`), else a new
 * ID.
 */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
