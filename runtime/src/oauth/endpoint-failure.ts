import { restError } from "../errors/rest-error.ts";
import type { ErrorReason } from "../errors/table.ts";
import { EndpointError } from "../token-endpoint/endpoint-error.ts";

/** Does work at an endpoint; what goes wrong there is an error with a reason. */
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
 * Reasons of a token endpoint: a rejection, after which somebody has to do something, or a failure,
 * which may pass.
 */
export function tokenReason(error: EndpointError): ErrorReason {
  return error.isFinal ? "OAUTH_TOKEN_REFUSED" : "OAUTH_TOKEN_FAILED";
}
