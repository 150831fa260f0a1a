import type { FeedBus, Secret, TlsOptions } from "connect-rest-runtime";

/** How processes share feeds over Redis (6.2 and newer) or Valkey. */
export interface BusOptions {
  /** `redis://host:port/database`, or `rediss:` for TLS; without user and password. */
  readonly url: string;
  readonly username?: Secret | undefined;
  readonly password?: Secret | undefined;
  readonly tls?: TlsOptions | undefined;
  /**
   * Encrypts entries: the first one seals, and all open. At least 32 characters each. Default: none; then
   * feeds that are polled with credentials are not shared.
   */
  readonly keys?: readonly Secret[] | undefined;
  /** Before every key and channel. Default: `connect-rest`. */
  readonly prefix?: string | undefined;
}

/** A process's way to others with whom it shares feeds. */
export interface ProcessBus extends FeedBus {
  /** Feeds that this process takes part in, and those of them that it polls. */
  readonly feeds: { readonly joined: number; readonly led: number };
  /** Leaves all feeds, so that others can poll them, and ends. */
  close(): Promise<void>;
}

/** Makes a bus that tells an observer what happens. */
export type BusMaker = (observer: BusObserver) => ProcessBus;

/** Why an entry was dropped. */
export type DroppedReason = "oversized" | "malformed" | "unreadable" | "invalid" | "overflow" | "stale";

/** Is told what happens on the bus. */
export interface BusObserver {
  /** The connection is there, or gone with an error. */
  connected(isConnected: boolean, error?: unknown): void;
  sent(): void;
  received(): void;
  dropped(reason: DroppedReason): void;
  /** A feed is polled with credentials, and there is no key: each process polls it for itself. */
  notShared(): void;
}

/** Where keys begin that have no prefix of their own. */
export const DEFAULT_PREFIX = "connect-rest";
