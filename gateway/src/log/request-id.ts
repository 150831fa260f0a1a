import { randomUUID } from "node:crypto";

/** The header that carries a request's id, in both directions. */
export const requestIdHeader = "x-request-id";

/** The client's request id when it is safe to repeat (at most 128 letters, digits and `._-`), else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
