import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { restError } from "../errors/rest-error.ts";
import type { Secret } from "../text/secret.ts";
import type { AccessTokens } from "./session.ts";

/**
 * Returns an interceptor for Connect clients that sends an access token with every call (RFC 6750 section
 * 2.1), but only to the server for which the token was issued. If the server rejects the token, the token is
 * refreshed once for all calls, and each call is retried once. Client streams are not retried, since their
 * messages are already consumed; the next call uses the new token.
 *
 * @throws ConnectError reason OAUTH_ADDRESS_REFUSED for a call to another server; the errors of the tokens
 */
export function bearerInterceptor(tokens: AccessTokens): Interceptor {
  return (next) => async (request) => {
    const { origin } = new URL(request.url);
    if (origin !== tokens.origin) {
      const [expected, got] = [`calls of ${tokens.origin}`, origin];
      throw restError("OAUTH_ADDRESS_REFUSED", { what: "the token of a call", expected, got });
    }
    const again = await repeatable(request);
    const token = await tokens.get();
    authorize(request, token);
    try {
      return await next(again?.() ?? request);
    } catch (error) {
      if (!isRejection(error)) throw error;
      const other = await tokens.another(token);
      if (other === undefined || again === undefined) throw error;
      authorize(request, other);
      return await next(again());
    }
  };
}

/** Returns a function that recreates the request, or undefined if its messages can be read only once. */
async function repeatable(
  request: UnaryRequest | StreamRequest,
): Promise<(() => UnaryRequest | StreamRequest) | undefined> {
  if (!request.stream) return () => request;
  if (request.method.methodKind !== "server_streaming") return undefined;
  // the method has exactly one request message
  const messages: StreamRequest["message"] extends AsyncIterable<infer T> ? T[] : never = [];
  for await (const message of request.message) messages.push(message);
  return () => ({ ...request, message: createAsyncIterable(messages) });
}

function authorize({ header }: UnaryRequest | StreamRequest, token: Secret): void {
  header.set("authorization", `Bearer ${token.reveal()}`);
}

/**
 * Reports whether an error means that the server rejected the token. A 401 about other credentials contains
 * no challenge.
 */
function isRejection(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.code !== Code.Unauthenticated) return false;
  return /^bearer\b/i.test(error.metadata.get("www-authenticate") ?? "");
}
