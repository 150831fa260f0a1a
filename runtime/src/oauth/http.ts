import { systemClock } from "connect-rest-codec/internal";
import { within } from "../time/abort.ts";
import { EndpointError, endpointTime } from "../token-endpoint/endpoint-error.ts";
import { ENDPOINT_EXPECTED, problemOfEndpoint } from "../token-endpoint/endpoint-url.ts";
import { type EndpointResponse, MAX_ENDPOINT_BYTES, type Send } from "../token-endpoint/tokens.ts";
import { VERSION } from "../version.ts";
import type { OAuthHttp } from "./options.ts";

/**
 * Returns a function that sends requests with `fetch`: only to https or localhost, without following
 * redirects, and with time and size limits. The function sends no cookies or other browser state.
 */
export function fetchSend({ fetch = globalThis.fetch, clock = systemClock, signal }: OAuthHttp): Send {
  return async ({ url, method, headers, body }) => {
    const problem = problemOfEndpoint(url.href);
    if (problem !== undefined) throw new EndpointError(`expected ${ENDPOINT_EXPECTED}, got ${problem}`);
    return await within(endpointTime(clock, signal), async (ends) => {
      try {
        const response = await fetch(url.href, {
          method,
          headers: { "user-agent": `connect-rest-runtime/${VERSION}`, ...headers },
          body: body ?? null,
          redirect: "manual",
          signal: ends,
        });
        return await read(response);
      } catch (error) {
        ends.throwIfAborted();
        throw error instanceof EndpointError ? error : new EndpointError(problemOf(error), { cause: error });
      }
    });
  };
}

async function read(response: Response): Promise<EndpointResponse> {
  const { status, headers } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    // throwing within the loop closes the connection
    if (size > MAX_ENDPOINT_BYTES) {
      throw new EndpointError(`a response of more than ${MAX_ENDPOINT_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return { status, header: (name) => headers.get(name) ?? undefined, body: Buffer.concat(chunks) };
}

/**
 * Describes a failure of `fetch`. The reason is found only in its cause, or in the causes for the addresses
 * that were tried.
 */
function problemOf(error: unknown): string {
  for (let each: unknown = error, depth = 0; each instanceof Error && depth < 5; each = each.cause, depth++) {
    if (each instanceof AggregateError && each.errors.length > 0) return problemOf(each.errors[0]);
    if ("code" in each && typeof each.code === "string") return `no connection: ${each.message || each.code}`;
  }
  return `no connection: ${error instanceof Error ? error.message : String(error)}`;
}
