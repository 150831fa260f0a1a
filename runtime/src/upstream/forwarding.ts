import { Pool } from "undici";
import type { DispatchHandler, DispatchOptions, Requester } from "../http/requester.ts";
import { connectorOf } from "./connector.ts";
import type { EgressProxy } from "./proxy-options.ts";

/**
 * Hands requests for an origin of http to a proxy, with the whole address in the request line (RFC 9112 section 3.2.2), as
 * others do: many a proxy makes tunnels for https alone.
 */
export class Forwarding implements Requester {
  private readonly origin: string;
  private readonly proxy: EgressProxy;
  private readonly pool: Pool;

  constructor(origin: string, proxy: EgressProxy, options: Pool.Options, timeoutMs: number) {
    this.origin = origin;
    this.proxy = proxy;
    this.pool = new Pool(proxy.origin, { ...options, connect: connectorOf({ timeoutMs, tls: proxy.tls }) });
  }

  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean {
    const { origin, authorization } = this.proxy;
    const headers = ["host", new URL(this.origin).host, ...(options.headers as readonly string[])];
    if (authorization !== undefined) headers.push("proxy-authorization", authorization.reveal());
    const forwarded = { ...options, origin, path: this.origin + options.path, headers };
    return this.pool.dispatch(forwarded, handler);
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
