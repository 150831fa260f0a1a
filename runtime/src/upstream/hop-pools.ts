import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Pool } from "undici";
import { isPrivateAddress } from "./private-address.ts";

/** The network as connections see it; another one for tests. */
export interface Network {
  readonly lookup: LookupFunction;
  readonly isPrivate: (address: string) => boolean;
}

export const systemNetwork: Network = { lookup: systemLookup as LookupFunction, isPrivate: isPrivateAddress };

/** A connection to an address that a redirect must not lead to. */
export class PrivateAddress extends Error {
  readonly code = "REDIRECT_PRIVATE";
}

/** Origins at the same time; the oldest is closed first. */
const MAX_POOLS = 32;

/**
 * Connections for redirects, and what is known of the addresses of others. That an address is public is checked where it
 * counts: on what a name resolves to for the very connection, and on the connection itself.
 */
export class HopPools {
  private readonly options: Pool.Options;
  private readonly connectTimeoutMs: number;
  private readonly network: Network;
  private readonly pools = new Map<string, Pool>();
  private readonly publicOrigins = new Set<string>();

  constructor(options: Pool.Options, connectTimeoutMs: number, network: Network) {
    this.options = options;
    this.connectTimeoutMs = connectTimeoutMs;
    this.network = network;
  }

  /** A connector that notes whether an origin is at a public address. */
  watching(origin: string): buildConnector.connector {
    return this.connector((socket) => {
      if (!this.network.isPrivate(socket.remoteAddress ?? "")) this.publicOrigins.add(origin);
    }, this.network.lookup);
  }

  /** Whether any connection to the origin was to a public address. */
  isPublic(origin: string): boolean {
    return this.publicOrigins.has(origin);
  }

  /** The connections to an origin that a redirect leads to. */
  poolOf(origin: string, mustBePublic: boolean): Pool {
    const key = `${mustBePublic} ${origin}`;
    const known = this.pools.get(key);
    if (known !== undefined) return known;
    const connect = mustBePublic ? this.publicOnly(origin) : this.watching(origin);
    const pool = new Pool(origin, { ...this.options, connect });
    this.pools.set(key, pool);
    const [oldest] = this.pools;
    if (this.pools.size > MAX_POOLS && oldest !== undefined) {
      this.pools.delete(oldest[0]);
      oldest[1].close().catch(() => undefined);
    }
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.pools.values()].map((pool) => pool.close()));
  }

  private publicOnly(origin: string): buildConnector.connector {
    const check = (socket: Socket) => this.checkAddress(socket.remoteAddress ?? "");
    const lookup: LookupFunction = (host, options, done) =>
      this.network.lookup(host, options, (error, found, family) => {
        const addresses = Array.isArray(found) ? found.map(({ address }: LookupAddress) => address) : [found];
        const refused = error === null && addresses.some((address) => this.network.isPrivate(address));
        done(refused ? new PrivateAddress("a private address") : error, found as string, family);
      });
    const connect = this.connector((socket) => {
      check(socket);
      this.publicOrigins.add(origin);
    }, lookup);
    return (options, done) => {
      // an address is not looked up
      const host = options.hostname.replace(/^\[|\]$/g, "");
      if (isIP(host) !== 0 && this.network.isPrivate(host)) {
        done(new PrivateAddress("a private address"), null);
      } else {
        connect(options, done);
      }
    };
  }

  private checkAddress(address: string): void {
    if (this.network.isPrivate(address)) throw new PrivateAddress("a private address");
  }

  private connector(onConnect: (socket: Socket) => void, lookup: LookupFunction): buildConnector.connector {
    const connect = buildConnector({ timeout: this.connectTimeoutMs, lookup, allowH2: false });
    return (options, done) =>
      connect(options, (...[error, socket]) => {
        // undici leaves it out where its types say null
        if (error !== null || socket === null) {
          done(error ?? new Error("no connection"), null);
          return;
        }
        try {
          onConnect(socket);
        } catch (refused) {
          socket.destroy();
          done(refused as Error, null);
          return;
        }
        done(null, socket);
      });
  }
}
