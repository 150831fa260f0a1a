import { randomUUID } from "node:crypto";

/** Whose call it is. Nobody is authenticated yet: a caller is an address, and the id of the request. */
export interface Caller {
  readonly requestId: string;
  /** The client's IP address. */
  readonly client: string;
}

/** The header that carries a request's id, in both directions. */
export const REQUEST_ID_HEADER = "x-request-id";

/** The client's request id when it is safe to repeat (at most 128 letters, digits and `._-`), else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
