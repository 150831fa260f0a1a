import type { LookupFunction, OnReadOpts } from "node:net";
import { buildConnector } from "undici";
import type { EgressProxy } from "./proxy-options.ts";
import type { TlsSettings } from "./tls-options.ts";
import { tunnelled } from "./tunnel.ts";

/** Makes one connection of a pool. */
export type Connector = buildConnector.connector;

/** How the connections to an origin are made. */
export interface ConnectorOptions {
  readonly timeoutMs: number;
  readonly tls?: TlsSettings | undefined;
  readonly proxy?: EgressProxy | undefined;
  /** Default: that of the system. Of no effect with a proxy, which looks names up itself. */
  readonly lookup?: LookupFunction | undefined;
  /** How sockets read, in place of being streams. Of no effect with a proxy. */
  readonly onread?: OnReadOpts | undefined;
}

/** What makes connections, through a tunnel where there is a proxy. */
export function connectorOf({ timeoutMs: timeout, tls, proxy, lookup, onread }: ConnectorOptions): Connector {
  const { secureContext, serverName } = tls ?? {};
  const plain = buildConnector({
    timeout,
    // HTTP/1.1 only: failures of HTTP/2 sessions are other ones, and no upstream so far needs it
    allowH2: false,
    ...(lookup !== undefined && { lookup }),
    ...(onread !== undefined && { onread }),
    ...(secureContext !== undefined && { secureContext }),
  });
  const connect: Connector =
    serverName === undefined ? plain : (options, done) => plain({ ...options, servername: serverName }, done);
  if (proxy === undefined) return connect;
  return tunnelled(proxy, connectorOf({ timeoutMs: timeout, tls: proxy.tls }), connect, timeout);
}
