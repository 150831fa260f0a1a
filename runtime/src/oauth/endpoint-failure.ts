import { restError } from "../errors/rest-error.ts";
import type { ErrorReason } from "../errors/table.ts";
import { EndpointError } from "../token-endpoint/endpoint-error.ts";

/** Sends a request to an endpoint. Converts a failure to an error with a reason. */
export async function atEndpoint<T>(
  server: string,
  reason: ErrorReason | ((error: EndpointError) => ErrorReason),
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EndpointError)) throw error;
    const metadata = error.code === undefined ? {} : { error: error.code };
    const found = typeof reason === "function" ? reason(error) : reason;
    throw restError(found, { server, problem: error.message }, { metadata });
  }
}

/**
 * Returns the reason for an error from a token endpoint: a rejection, which requires the user to act, or a
 * failure, which may be temporary.
 */
export function tokenReason(error: EndpointError): ErrorReason {
  return error.isFinal ? "OAUTH_TOKEN_REFUSED" : "OAUTH_TOKEN_FAILED";
}
