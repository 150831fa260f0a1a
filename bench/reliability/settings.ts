import type { GatewayOptions } from "connect-rest-gateway";

/** How a server under test is started: JSON in its first argument. */
export interface Settings {
  /** The upstream's address. */
  readonly upstream: string;
  /** Of the gateway. */
  readonly limits?: NonNullable<GatewayOptions["limits"]>;
  /** Of the gateway's upstream. */
  readonly options?: GatewayOptions["upstreams"][string];
  /** The largest heap in MB. Default: Node's. */
  readonly heapMb?: number;
  /** Whether the bare server sends requests again, by undici's RetryAgent. */
  readonly retries?: boolean;
  /** Whether the bare server speaks HTTP/2; it has one port for each. */
  readonly http2?: boolean;
}

export function readSettings(argument: string | undefined): Settings {
  return JSON.parse(argument ?? "{}") as Settings;
}

/** A handler that never responds and does not listen to its signal. */
export function deaf(): Promise<never> {
  return new Promise(() => undefined);
}
