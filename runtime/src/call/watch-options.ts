import { randomBytes } from "node:crypto";
import { checkNumbers, type Range } from "../errors/check-option.ts";
import { restError } from "../errors/rest-error.ts";
import { Secret } from "../text/secret.ts";
import { type FeedBus, LOCAL_BUS } from "./feed-bus.ts";

/**
 * Options for watching feeds whose messages are batches of items. All watchers of the same feed with the same
 * identity share one poller.
 */
export interface WatchOptions {
  /**
   * The key that signs resume tokens, at least 32 characters long. If there are several keys, the first one
   * signs, and all are accepted. A process can resume the streams of another process, or of an earlier run,
   * only with the same key. Default: a random key; tokens become invalid when the process ends.
   */
  readonly resumeKey?: string | Secret | ReadonlyArray<string | Secret> | undefined;
  /** The maximum number of concurrent watchers. Default: 10 000. */
  readonly maxWatchers?: number | undefined;
  /** The maximum number of different feeds that are watched at the same time. Default: 1000. */
  readonly maxFeeds?: number | undefined;
  /**
   * The time for which a feed is still polled after its last watcher has left, in milliseconds. Default: 60
   * 000.
   */
  readonly graceMs?: number | undefined;
  /**
   * The maximum number of bytes buffered for a slow watcher. A watcher that exceeds it is disconnected.
   * Default: 1 MiB.
   */
  readonly bufferBytes?: number | undefined;
  /** Shares feeds with other processes. Default: no bus; each process polls for itself. */
  readonly bus?: FeedBus | undefined;
  /**
   * Called within each call that begins to watch. Returns a function that runs polls in the context of that
   * call. Polls use the context of the newest watch, so that credentials that depend on the caller belong to
   * a current watcher. Default: polls have no caller.
   */
  readonly asCaller?: (() => RunAs) | undefined;
}

/** Runs work in the context of a caller. */
export type RunAs = <T>(work: () => T) => T;

/** The options with their defaults. */
export type WatchSettings = Readonly<Record<keyof typeof WATCH_DEFAULTS, number>> & {
  readonly resumeKeys: ReadonlyArray<Secret>;
  readonly bus: FeedBus;
  readonly asCaller: () => RunAs;
};

/** The defaults of numeric options. */
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

/** @throws ConnectError reason OPTION_INVALID; the text never contains a key */
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
