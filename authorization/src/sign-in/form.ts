import type { HttpExchange } from "../host.ts";
import { OAuthError } from "../server/oauth-error.ts";
import { isType, readText } from "../server/read-form.ts";

/** The maximum length of a form, in bytes. A form contains a proof and a decision. */
const MAX_FORM_BYTES = 4096;

/**
 * Reads the form of a request.
 *
 * @param idleTimeoutMs the maximum pause between two chunks
 * @throws OAuthError if the body is not a form, is too large, stalls, ends early, or repeats a field
 */
export async function readForm(
  exchange: HttpExchange,
  idleTimeoutMs: number,
): Promise<ReadonlyMap<string, string>> {
  if (!isType(exchange.request, "application/x-www-form-urlencoded")) {
    throw rejected(415, "not a form");
  }
  const text = await readText(exchange, { maxBytes: MAX_FORM_BYTES, idleTimeoutMs }).catch(reject);
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) throw rejected(400, "a form with a field twice");
    fields.set(name, value);
  }
  return fields;
}

function reject(error: unknown): never {
  if (!(error instanceof OAuthError)) throw error;
  throw rejected(error.status, error.status === 413 ? "a form that is too large" : "an incomplete form");
}

function rejected(status: number, text: string): OAuthError {
  return new OAuthError(status, "invalid_request", text);
}
