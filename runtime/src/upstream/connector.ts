import type { LookupFunction, OnReadOpts } from "node:net";
import { buildConnector } from "../http/undici.ts";
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
  /**
   * The function that resolves names. Default: the system's resolver. Has no effect with a proxy, which
   * resolves names itself.
   */
  readonly lookup?: LookupFunction | undefined;
  /** Options for reading from sockets without using them as streams. Has no effect with a proxy. */
  readonly onread?: OnReadOpts | undefined;
}

/** Returns a connector. If there is a proxy, it connects through a tunnel. */
export function connectorOf({ timeoutMs: timeout, tls, proxy, lookup, onread }: ConnectorOptions): Connector {
  const { secureContext, serverName } = tls ?? {};
  const plain = buildConnector({
    timeout,
    // HTTP/1.1 only, since HTTP/2 sessions fail in different ways, and no upstream has needed HTTP/2 so far
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
