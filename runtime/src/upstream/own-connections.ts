import type { OnReadOpts } from "node:net";
import type { Requester } from "../http/requester.ts";
import { Pool } from "../http/undici.ts";
import { ON_READ } from "../http1/connection.ts";
import { type ClosableRequester, Http1Pool } from "../http1/pool.ts";
import type { Secret } from "../text/secret.ts";
import type { Connections } from "./connections.ts";
import { type Connector, connectorOf } from "./connector.ts";
import type { Hop } from "./hop.ts";
import { HopPools, type Network } from "./hop-pools.ts";
import { isPrivateText } from "./local-host.ts";
import type { UpstreamSettings } from "./options.ts";
import type { EgressProxy } from "./proxy-options.ts";

/** The runtime's own connections: pools for each origin, direct or through a proxy. */
export class OwnConnections implements Connections {
  readonly kind = "own";
  secrets: readonly Secret[] = [];
  private readonly settings: UpstreamSettings;
  private readonly network: Network;
  private readonly pools = new Map<string, ClosableRequester>();
  private readonly hops: HopPools;
  /** The proxies whose secrets have already been collected. */
  private readonly proxies = new Set<string>();
  private closing: Promise<void> | undefined;

  constructor(settings: UpstreamSettings, network: Network) {
    this.settings = settings;
    this.network = network;
    this.hops = new HopPools(settings, poolOptions(settings), network);
    for (const { origin } of settings.bases.values()) {
      if (!this.pools.has(origin)) this.pools.set(origin, this.createPool(origin));
    }
  }

  base(origin: string): Requester {
    const pool = this.pools.get(origin);
    // the constructor creates the pools of base addresses
    if (pool === undefined) throw new Error(`no connections to ${origin}`);
    return pool;
  }

  hop({ origin, mustBePublic, isForeign }: Pick<Hop, "origin" | "mustBePublic" | "isForeign">): Requester {
    const proxy = this.proxyOf(origin);
    return this.hops.poolOf({ origin, mustBePublic, isForeign, proxy });
  }

  isPublic(origin: string): boolean {
    if (this.proxyOf(origin) === undefined) return this.hops.isPublic(origin);
    return !isPrivateText(origin, this.network.isPrivate);
  }

  mayBePublic(origin: string): boolean {
    return this.proxyOf(origin) === undefined || !isPrivateText(origin, this.network.isPrivate);
  }

  isForwarded(origin: string): boolean {
    return origin.startsWith("http:") && this.proxyOf(origin) !== undefined;
  }

  close(): Promise<void> {
    // a pool rejects a second close
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    await Promise.all([...this.pools.values(), this.hops].map((pool) => pool.close()));
  }

  private proxyOf(origin: string): EgressProxy | undefined {
    const proxy = this.settings.proxyOf(origin);
    if (proxy !== undefined && !this.proxies.has(proxy.origin)) {
      this.proxies.add(proxy.origin);
      this.secrets = [...this.secrets, ...proxy.secrets];
    }
    return proxy;
  }

  private createPool(origin: string): ClosableRequester {
    const { redirects, connectTimeoutMs: timeoutMs, tls } = this.settings;
    const options = poolOptions(this.settings);
    const proxy = this.proxyOf(origin);
    if (proxy !== undefined) return this.hops.proxied(origin, proxy, tls);
    // addresses matter only if redirects are followed
    const connector = (onread?: OnReadOpts): Connector =>
      redirects === undefined
        ? connectorOf({ timeoutMs, tls, onread })
        : this.hops.watching(origin, tls, onread);
    return new Http1Pool(origin, {
      ...this.settings,
      connect: connector(ON_READ),
      others: (counted) => new Pool(origin, { ...options, connect: counted(connector()) }),
    });
  }
}

function poolOptions(settings: UpstreamSettings): Pool.Options {
  return {
    connections: settings.connections,
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: settings.maxHeaderBytes,
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
  };
}
