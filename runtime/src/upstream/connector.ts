import type { LookupFunction, OnReadOpts } from "node:net";
import { buildConnector } from "undici";
import type { EgressProxy } from "./proxy-options.ts";
import type { TlsSettings } from "./tls-options.ts";
import { tunnelled } from "./tunnel.ts";

/** Opens one connection of a pool. */
export type Connector = buildConnector.connector;

/** Options for connecting to an origin. */
export interface ConnectorOptions {
  readonly timeoutMs: number;
  readonly tls?: TlsSettings | undefined;
  readonly proxy?: EgressProxy | undefined;
  /** Default: the system's. Has no effect with a proxy, which resolves names itself. */
  readonly lookup?: LookupFunction | undefined;
  /** The read options of sockets, which are then not used as streams. Has no effect with a proxy. */
  readonly onread?: OnReadOpts | undefined;
}

/** Returns a connector, which connects through a tunnel if there is a proxy. */
export function connectorOf({ timeoutMs: timeout, tls, proxy, lookup, onread }: ConnectorOptions): Connector {
  const { secureContext, serverName } = tls ?? {};
  const plain = buildConnector({
    timeout,
    // HTTP/1.1 only: HTTP/2 sessions fail in different ways, and no upstream has needed them so far
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
