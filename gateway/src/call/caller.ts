import { randomUUID } from "node:crypto";
import type { Subject } from "connect-rest-authorization";

/**
 * Whose call it is: an address, the id of the request, and where callers are authorized,
 * what their token says.
 */
export interface Caller {
  readonly requestId: string;
  /** The client's IP address. */
  readonly client: string;
  /** Undefined where no token is needed. */
  readonly subject?: Subject | undefined;
}

/** The header that carries a request's id, in both directions. */
export const REQUEST_ID_HEADER = "x-request-id";

/**
 * The client's request id when it is safe to repeat (at most 128 letters, digits and `._-`), else a new one.
 */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
