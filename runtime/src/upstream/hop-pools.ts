import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, type OnReadOpts, type Socket } from "node:net";
import type { Requester } from "../http/requester.ts";
import { Pool } from "../http/undici.ts";
import type { ClosableRequester } from "../http1/pool.ts";
import { type Connector, connectorOf } from "./connector.ts";
import { forwarding } from "./forwarding.ts";
import type { Hop } from "./hop.ts";
import type { UpstreamSettings } from "./options.ts";
import { isPrivateAddress } from "./private-address.ts";
import type { EgressProxy } from "./proxy-options.ts";
import type { TlsSettings } from "./tls-options.ts";

/** The network functions that connections use. Tests replace them. */
export interface Network {
  readonly lookup: LookupFunction;
  readonly isPrivate: (address: string) => boolean;
}

export const systemNetwork: Network = { lookup: systemLookup as LookupFunction, isPrivate: isPrivateAddress };

/** Thrown on an attempt to connect to an address to which no redirect may lead. */
export class PrivateAddress extends Error {
  readonly code = "REDIRECT_PRIVATE";
}

/**
 * The maximum number of origins to which connections are kept. Above it, the connections to the oldest origin
 * are closed.
 */
const MAX_POOLS = 32;

/** The properties of a redirect on which its connection depends. */
export type HopConnection = Pick<Hop, "origin" | "mustBePublic" | "isForeign"> & {
  readonly proxy: EgressProxy | undefined;
};

/**
 * The connections for redirects, and a record of the origins that have public addresses. Each address is
 * checked when connecting: the address to which a name resolves, and the address of the connection itself.
 * Connections through a proxy cannot be checked.
 */
export class HopPools {
  private readonly settings: UpstreamSettings;
  private readonly options: Pool.Options;
  private readonly network: Network;
  private readonly pools = new Map<string, ClosableRequester>();
  private readonly publicOrigins = new Set<string>();

  constructor(settings: UpstreamSettings, options: Pool.Options, network: Network) {
    this.settings = settings;
    this.options = options;
    this.network = network;
  }

  /** Returns a connector that records whether an origin has a public address. */
  watching(origin: string, tls: TlsSettings | undefined, onread?: OnReadOpts): Connector {
    const note = (socket: Socket) => {
      if (!this.network.isPrivate(socket.remoteAddress ?? "")) this.publicOrigins.add(origin);
    };
    return this.connector(note, this.network.lookup, tls, onread);
  }

  /** Reports whether any connection to the origin had a public address. */
  isPublic(origin: string): boolean {
    return this.publicOrigins.has(origin);
  }

  /** Returns the connections to the target of a redirect. */
  poolOf(hop: HopConnection): Requester {
    const { origin, mustBePublic, isForeign, proxy } = hop;
    const key = [mustBePublic, isForeign, proxy?.origin, origin].join(" ");
    const known = this.pools.get(key);
    if (known !== undefined) return known;
    const pool = this.createPool(hop);
    this.pools.set(key, pool);
    const [oldest] = this.pools;
    if (this.pools.size > MAX_POOLS && oldest !== undefined) {
      this.pools.delete(oldest[0]);
      oldest[1].close().catch(() => undefined);
    }
    return pool;
  }

  /** Returns connections to an origin through a proxy. */
  proxied(origin: string, proxy: EgressProxy, tls: TlsSettings | undefined): ClosableRequester {
    const { connectTimeoutMs: timeoutMs } = this.settings;
    if (origin.startsWith("http:")) return forwarding(origin, proxy, this.options, timeoutMs);
    return new Pool(origin, { ...this.options, connect: connectorOf({ timeoutMs, tls, proxy }) });
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.close()));
  }

  private createPool({ origin, mustBePublic, isForeign, proxy }: HopConnection): ClosableRequester {
    // a foreign origin must not receive the client certificate either
    const tls = isForeign ? undefined : this.settings.tls;
    if (proxy !== undefined) return this.proxied(origin, proxy, tls);
    const connect = mustBePublic ? this.publicOnly(origin, tls) : this.watching(origin, tls);
    return new Pool(origin, { ...this.options, connect });
  }

  private publicOnly(origin: string, tls: TlsSettings | undefined): Connector {
    const lookup: LookupFunction = (host, options, done) =>
      this.network.lookup(host, options, (error, found, family) => {
        const addresses = Array.isArray(found) ? found.map(({ address }: LookupAddress) => address) : [found];
        const rejected = error === null && addresses.some((address) => this.network.isPrivate(address));
        done(rejected ? new PrivateAddress("a private address") : error, found as string, family);
      });
    const checkAndNote = (socket: Socket) => {
      if (this.network.isPrivate(socket.remoteAddress ?? "")) throw new PrivateAddress("a private address");
      this.publicOrigins.add(origin);
    };
    const connect = this.connector(checkAndNote, lookup, tls);
    return (options, done) => {
      // an IP address is not resolved, so it is checked here
      const host = options.hostname.replace(/^\[|\]$/g, "");
      if (isIP(host) !== 0 && this.network.isPrivate(host)) {
        done(new PrivateAddress("a private address"), null);
      } else {
        connect(options, done);
      }
    };
  }

  private connector(
    onConnect: (socket: Socket) => void,
    lookup: LookupFunction,
    tls: TlsSettings | undefined,
    onread?: OnReadOpts,
  ): Connector {
    const connect = connectorOf({ timeoutMs: this.settings.connectTimeoutMs, tls, lookup, onread });
    return (options, done) =>
      connect(options, (...[error, socket]) => {
        // undici omits the socket, although its types declare null
        if (error !== null || socket === null) {
          done(error ?? new Error("no connection"), null);
          return;
        }
        try {
          onConnect(socket);
        } catch (rejected) {
          socket.destroy();
          done(rejected as Error, null);
          return;
        }
        done(null, socket);
      });
  }
}
