import { randomBytes } from "node:crypto";
import { checkNumbers, type Range } from "../errors/check-option.ts";
import { restError } from "../errors/rest-error.ts";
import { Secret } from "../text/secret.ts";
import { type FeedBus, LOCAL_BUS } from "./feed-bus.ts";

/**
 * How feeds are watched whose messages are batches of items: one poller serves all who watch the same feed
 * with the same identity.
 */
export interface WatchOptions {
  /**
   * Signs resume tokens: at least 32 characters. Of several the first one signs, and all are accepted.
   * Processes that take over from each other, also after a restart, need the same. Default: a random one, so
   * that tokens end with the process.
   */
  readonly resumeKey?: string | Secret | ReadonlyArray<string | Secret> | undefined;
  /** How many watch at the same time, in all. Default: 10 000. */
  readonly maxWatchers?: number | undefined;
  /** How many different feeds are watched at the same time. Default: 1000. */
  readonly maxFeeds?: number | undefined;
  /** How long a feed is polled on when nobody watches it any more, in milliseconds. Default: 60 000. */
  readonly graceMs?: number | undefined;
  /** How many bytes wait for a watcher that reads too slowly before it is dropped. Default: 1 MiB. */
  readonly bufferBytes?: number | undefined;
  /** Shares feeds with other processes. Default: none, each process polls for itself. */
  readonly bus?: FeedBus | undefined;
  /**
   * Called within each call that begins to watch; polls run by what it returns for the newest one, so that
   * credentials which depend on the caller are those of somebody who watches. Default:
   * polls belong to no call.
   */
  readonly asCaller?: (() => RunAs) | undefined;
}

/** Runs work for somebody. */
export type RunAs = <T>(work: () => T) => T;

/** The options with their defaults. */
export type WatchSettings = Readonly<Record<keyof typeof WATCH_DEFAULTS, number>> & {
  readonly resumeKeys: ReadonlyArray<Secret>;
  readonly bus: FeedBus;
  readonly asCaller: () => RunAs;
};

/** The defaults of options that are numbers. */
export const WATCH_DEFAULTS = {
  maxWatchers: 10_000,
  maxFeeds: 1_000,
  graceMs: 60_000,
  bufferBytes: 1024 * 1024,
} as const;

const RANGES: Readonly<Record<keyof typeof WATCH_DEFAULTS, Range>> = {
  maxWatchers: { unit: "watchers", max: 10_000_000 },
  maxFeeds: { unit: "feeds", max: 1_000_000 },
  graceMs: { unit: "milliseconds", min: 0, max: 86_400_000 },
  bufferBytes: { unit: "bytes", min: 1024, max: 1024 * 1024 * 1024 },
};
const MIN_KEY_LENGTH = 32;

const asNobody: RunAs = (work) => work();

/** @throws ConnectError reason OPTION_INVALID; the text never holds a key */
export function resolveWatch(options: WatchOptions = {}): WatchSettings {
  return {
    resumeKeys: keysOf(options.resumeKey),
    ...checkNumbers(options, WATCH_DEFAULTS, RANGES, invalid),
    bus: options.bus ?? LOCAL_BUS,
    asCaller: options.asCaller ?? (() => asNobody),
  };
}

function keysOf(given: WatchOptions["resumeKey"]): Secret[] {
  if (given === undefined) return [new Secret(randomBytes(32).toString("hex"))];
  const keys = (Array.isArray(given) ? given : [given]).map(Secret.of);
  for (const key of keys) {
    const text: unknown = key.reveal();
    if (typeof text === "string" && text.length >= MIN_KEY_LENGTH) continue;
    const got = typeof text === "string" ? `${text.length} characters` : typeof text;
    throw invalid("resumeKey", `at least ${MIN_KEY_LENGTH} characters`, got);
  }
  if (keys.length === 0) throw invalid("resumeKey", "a key, or several", "an empty list");
  return keys;
}

function invalid(name: string, expected: string, got: string): Error {
  return restError("OPTION_INVALID", { option: `watch.${name}`, expected, got });
}
