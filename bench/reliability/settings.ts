import type { GatewayOptions } from "connect-rest-gateway";

/** Settings of a server under test, as JSON in its first argument. */
export interface Settings {
  /** The upstream's address. */
  readonly upstream: string;
  /** Limits of the gateway. */
  readonly limits?: NonNullable<GatewayOptions["limits"]>;
  /** Options of the gateway's upstream. */
  readonly options?: GatewayOptions["upstreams"][string];
  /** The largest heap in MB. Default: Node's. */
  readonly heapMb?: number;
  /** Whether the bare server retries requests, with undici's RetryAgent. */
  readonly retries?: boolean;
  /** Whether the bare server speaks HTTP/2; each version has its own port. */
  readonly http2?: boolean;
}

export function readSettings(argument: string | undefined): Settings {
  return JSON.parse(argument ?? "{}") as Settings;
}

/** A handler that never responds and ignores its signal. */
export function deaf(): Promise<never> {
  return new Promise(() => undefined);
}
