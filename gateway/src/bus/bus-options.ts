import type { FeedBus, Secret, TlsOptions } from "connect-rest-runtime";

/** Options for sharing feeds between processes over Redis (6.2 and newer) or Valkey. */
export interface BusOptions {
  /** `redis://host:port/database`, or `rediss:` for TLS; without user and password. */
  readonly url: string;
  readonly username?: Secret | undefined;
  readonly password?: Secret | undefined;
  readonly tls?: TlsOptions | undefined;
  /**
   * Keys of at least 32 characters that encrypt entries: the first key encrypts, and all keys decrypt.
   * Default: none; feeds that are polled with credentials are then not shared.
   */
  readonly keys?: readonly Secret[] | undefined;
  /** The prefix of every key and channel. Default: `connect-rest`. */
  readonly prefix?: string | undefined;
}

/** Connects a process to the other processes with which it shares feeds. */
export interface ProcessBus extends FeedBus {
  /** The number of feeds that this process has joined, and the number of feeds that it polls. */
  readonly feeds: { readonly joined: number; readonly led: number };
  /** Leaves all feeds, so that other processes can poll them, and closes the bus. */
  close(): Promise<void>;
}

/** Creates a bus that reports events to an observer. */
export type BusMaker = (observer: BusObserver) => ProcessBus;

/** The reason why an entry was dropped. */
export type DroppedReason = "oversized" | "malformed" | "unreadable" | "invalid" | "overflow" | "stale";

/** Receives the events of a bus. */
export interface BusObserver {
  /** Called when the connection is established, or lost with an error. */
  connected(isConnected: boolean, error?: unknown): void;
  sent(): void;
  received(): void;
  dropped(reason: DroppedReason): void;
  /**
   * Called when a feed that is polled with credentials is not shared, because no key is configured: each
   * process polls the feed itself.
   */
  notShared(): void;
}

/** The default prefix of keys. */
export const DEFAULT_PREFIX = "connect-rest";
