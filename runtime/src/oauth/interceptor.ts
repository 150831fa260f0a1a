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
 * An interceptor of a Connect client that sends an access token with every call (RFC 6750 section 2.1), to
 * the server that it is for and to no other. When the server rejects it, the token is refreshed, once for all
 * calls, and the call is made once more. One that streams requests is not, since these are gone;
 * the next call has the new token.
 *
 * @throws ConnectError reason OAUTH_ADDRESS_REFUSED where a call goes to another server;
 * what the tokens throw
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

/** What makes the same request again and again; undefined where its messages can be read only once. */
async function repeatable(
  request: UnaryRequest | StreamRequest,
): Promise<(() => UnaryRequest | StreamRequest) | undefined> {
  if (!request.stream) return () => request;
  if (request.method.methodKind !== "server_streaming") return undefined;
  // there is one message in it
  const messages: StreamRequest["message"] extends AsyncIterable<infer T> ? T[] : never = [];
  for await (const message of request.message) messages.push(message);
  return () => ({ ...request, message: createAsyncIterable(messages) });
}

function authorize({ header }: UnaryRequest | StreamRequest, token: Secret): void {
  header.set("authorization", `Bearer ${token.reveal()}`);
}

/**
 * Whether an error says that the token is not good: what a server says of
 * others' credentials has no challenge.
 */
function isRejection(error: unknown): boolean {
  if (!(error instanceof ConnectError) || error.code !== Code.Unauthenticated) return false;
  return /^bearer\b/i.test(error.metadata.get("www-authenticate") ?? "");
}
