import type { DispatchHandler, DispatchOptions } from "../http/requester.ts";
import { Pool } from "../http/undici.ts";
import type { ClosableRequester } from "../http1/pool.ts";
import { connectorOf } from "./connector.ts";
import type { EgressProxy } from "./proxy-options.ts";

/**
 * Sends requests for an http origin through a forwarding proxy, with the whole address in the request line
 * (RFC 9112 section 3.2.2). Other clients also do this, since many proxies allow tunnels only for https.
 */
export function forwarding(
  to: string,
  proxy: EgressProxy,
  options: Pool.Options,
  timeoutMs: number,
): ClosableRequester {
  const pool = new Pool(proxy.origin, { ...options, connect: connectorOf({ timeoutMs, tls: proxy.tls }) });
  return {
    dispatch(options: DispatchOptions, handler: DispatchHandler): boolean {
      const { origin, authorization } = proxy;
      const headers = ["host", new URL(to).host, ...(options.headers as readonly string[])];
      if (authorization !== undefined) headers.push("proxy-authorization", authorization.reveal());
      return pool.dispatch({ ...options, origin, path: to + options.path, headers }, handler);
    },
    close: () => pool.close(),
  };
}
