import { type buildConnector, Client } from "undici";
import type { EgressProxy } from "./proxy-options.ts";

type Connector = buildConnector.connector;

/** A proxy that did not do its part. */
export class ProxyFailed extends Error {
  readonly code = "PROXY_FAILED";
  /** The status that it responded with; undefined where there was no response. */
  readonly status: number | undefined;

  constructor(status: number | undefined, cause?: unknown) {
    super(status === undefined ? "no response of the proxy" : `the proxy responded with ${status}`, {
      cause,
    });
    this.status = status;
  }
}

/**
 * Connects through a tunnel of a proxy (CONNECT, RFC 9110 section 9.3.6). TLS is with the upstream, inside of it; the proxy
 * sees the host and the port.
 *
 * @param toProxy makes the connection to the proxy
 * @param connect does what is left inside of the tunnel
 *
 * undici's ProxyAgent has neither a limit for how long a proxy may take to respond, nor an error that tells what it
 * responded, and it sends one of several headers of a name.
 */
export function tunnelled(
  { origin, authorization }: EgressProxy,
  toProxy: Connector,
  connect: Connector,
  timeoutMs: number,
): Connector {
  return (options, done) => {
    const client = new Client(origin, { connect: toProxy, headersTimeout: timeoutMs });
    const fail = (error: unknown) => {
      client.destroy().catch(() => undefined);
      done(error instanceof ProxyFailed ? error : new ProxyFailed(undefined, error), null);
    };
    const path = authorityOf(options);
    const headers = {
      host: path,
      ...(authorization !== undefined && { "proxy-authorization": authorization.reveal() }),
    };
    client.connect({ path, headers }).then(({ statusCode, socket }) => {
      if (statusCode < 200 || statusCode > 299) {
        // a peer may end it in any way
        socket.on("error", () => undefined).destroy();
        fail(new ProxyFailed(statusCode));
        return;
      }
      // the socket is no longer the client's
      client.close().catch(() => undefined);
      connect({ ...options, httpSocket: socket as NonNullable<typeof options.httpSocket> }, done);
    }, fail);
  };
}

function authorityOf({ hostname, port, protocol }: Parameters<Connector>[0]): string {
  const host = hostname.includes(":") ? `[${hostname.replace(/^\[|\]$/g, "")}]` : hostname;
  return `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
}
