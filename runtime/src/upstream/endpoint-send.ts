import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import { decompress } from "../http/decompress.ts";
import { ExchangeFailed, exchange } from "../http/exchange.ts";
import { raced, within } from "../time/abort.ts";
import { EndpointError, endpointTime } from "../token-endpoint/endpoint-error.ts";
import { type EndpointRequest, MAX_ENDPOINT_BYTES, type Send } from "../token-endpoint/tokens.ts";
import type { Connections } from "./connections.ts";
import { exchangeError } from "./failure.ts";
import type { UpstreamSettings } from "./options.ts";

/**
 * Returns a function that sends requests to a token endpoint on the connections of an upstream, through its
 * proxy. The TLS options of the upstream apply if the endpoint has the origin of one of its base addresses.
 * Requests end when the upstream is closed, not when a waiting call ends.
 */
export function endpointSend(
  connections: Connections,
  settings: UpstreamSettings,
  closing: AbortSignal,
  clock: Clock,
): Send {
  const bases = new Set([...settings.bases.values(), settings.otherBase].map((base) => base?.origin));
  return async (request) => {
    const { origin, pathname, search } = request.url;
    const requester = connections.hop({ origin, mustBePublic: false, isForeign: !bases.has(origin) });
    const sent = {
      origin,
      method: request.method,
      path: pathname + search,
      headers: headersOf(request, settings),
      body: request.body ?? null,
    };
    const limits = { maxBytes: () => MAX_ENDPOINT_BYTES, tolerant: (status: number) => status >= 300 };
    const receiving = within(endpointTime(clock, closing), async (signal) => {
      const { status, headers, body } = await raced(exchange(requester, sent, limits, signal), signal);
      const header = (name: string) => {
        const value = headers[name];
        return Array.isArray(value) ? value[0] : value;
      };
      const encoding = header("content-encoding");
      const plain =
        encoding === undefined || body.length === 0
          ? body
          : await decompress(body, encoding, MAX_ENDPOINT_BYTES, signal);
      return { status, header, body: plain };
    });
    return await receiving.catch((error: unknown) => {
      throw failureOf(error, connections, settings);
    });
  };
}

function headersOf({ headers }: EndpointRequest, { userAgent }: UpstreamSettings): string[] {
  const given = Object.entries(headers).filter(([name]) => name !== "user-agent");
  return [...given.flat(), "user-agent", userAgent, "accept-encoding", "identity"];
}

function failureOf(error: unknown, { kind }: Connections, settings: UpstreamSettings): EndpointError {
  if (error instanceof EndpointError) return error;
  const known =
    error instanceof ExchangeFailed ? exchangeError(error, { upstream: "", settings, client: kind }) : error;
  const text = known instanceof ConnectError ? known.rawMessage : String(known);
  // the caller adds the name of the upstream
  return new EndpointError(text.replace(/^upstream : /, ""), { cause: error });
}
