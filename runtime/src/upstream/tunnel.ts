import type { buildConnector } from "undici";
import type { Secret } from "../text/secret.ts";
import { finalStatus } from "./final-status.ts";
import type { EgressProxy } from "./proxy-options.ts";

type Connector = buildConnector.connector;

/** Thrown if a proxy fails. */
export class ProxyFailed extends Error {
  readonly code = "PROXY_FAILED";
  /** The status of the proxy's response. Undefined if there was none. */
  readonly status: number | undefined;

  constructor(status: number | undefined, cause?: unknown) {
    super(status === undefined ? "no response of the proxy" : `the proxy responded with ${status}`, {
      cause,
    });
    this.status = status;
  }
}

/**
 * Connects through a proxy's tunnel (CONNECT, RFC 9110 section 9.3.6). TLS with the upstream runs inside the
 * tunnel, so the proxy sees only the host and the port.
 *
 * @param toProxy opens the connection to the proxy
 * @param connect completes the connection inside the tunnel
 * @param timeoutMs the time limit for the proxy's response
 *
 * undici's ProxyAgent has no such limit, and its error does not contain the proxy's response. undici and
 * Node.js treat the first response to a CONNECT as the final response, or fail.
 */
export function tunnelled(
  { origin, authorization }: EgressProxy,
  toProxy: Connector,
  connect: Connector,
  timeoutMs: number,
): Connector {
  return (options, done) => {
    const fail = (error: unknown) =>
      done(error instanceof ProxyFailed ? error : new ProxyFailed(undefined, error), null);
    toProxy(placeOf(origin), (...[error, socket]) => {
      if (socket === null || socket === undefined) {
        fail(error);
        return;
      }
      // the peer may close the socket at any time, even before another listener is added
      socket.on("error", () => undefined);
      const status = finalStatus(socket, timeoutMs);
      socket.write(head(authorityOf(options), authorization));
      const checked = status.then((found) => {
        if (found < 200 || found > 299) throw new ProxyFailed(found);
      });
      checked.then(
        () => connect({ ...options, httpSocket: socket }, done),
        (cause: unknown) => {
          socket.destroy();
          fail(cause);
        },
      );
    });
  };
}

/** Returns the head of a request. Its parts are validated addresses and credentials. */
function head(authority: string, authorization: Secret | undefined): string {
  const credentials = authorization === undefined ? "" : `proxy-authorization: ${authorization.reveal()}\r\n`;
  return `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${credentials}\r\n`;
}

function placeOf(origin: string): Parameters<Connector>[0] {
  const { hostname, host, protocol, port } = new URL(origin);
  return { hostname: hostname.replace(/^\[|\]$/g, ""), host, protocol, port };
}

function authorityOf({ hostname, port, protocol }: Parameters<Connector>[0]): string {
  const host = hostname.includes(":") ? `[${hostname.replace(/^\[|\]$/g, "")}]` : hostname;
  return `${host}:${port || (protocol === "https:" ? 443 : 80)}`;
}
