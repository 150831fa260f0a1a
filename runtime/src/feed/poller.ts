import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { RunningCall } from "../call/running-call.ts";
import { namesOf } from "../errors/names.ts";
import { restError } from "../errors/rest-error.ts";
import { sleepUntil } from "../time/abort.ts";
import { waitAfterFailure } from "./failure-backoff.ts";
import { PageBackoff } from "./page-backoff.ts";
import { FeedPages, type Listing } from "./pages.ts";
import { boundedInterval, jittered, PollInterval } from "./poll-interval.ts";
import type { Watcher } from "./watcher.ts";
import type { FeedWindow } from "./window.ts";

/** One poll. */
export interface Poll {
  readonly call: RunningCall<PollAdapter>;
  /** Checks first that it asks as who watches: credentials may come to be those of somebody else. */
  readonly check: () => Promise<void>;
}

/** As whom a feed is polled. */
export type Asker = Pick<Watcher, "header" | "runAs">;

/** What a poller needs of its feed. */
export interface PollerOptions {
  readonly adapter: PollAdapter;
  readonly message: MessageShape<DescMessage>;
  readonly clock: Clock;
  readonly window: FeedWindow;
  /** When it may poll first, on the clock's monotonic scale. */
  readonly mayPollAt: number;
  readonly asker: () => Asker;
  /** Says that a poll begins; it may then have to wait, or to stop. */
  readonly onPolling: () => Promise<void>;
  /** Makes the call of one poll. */
  readonly call: (header: () => Headers, signal: AbortSignal) => Poll;
  /**
   * Is called after each poll, with what the feed lists as far as it could be read, and the error that the
   * next poll may mend.
   */
  readonly onPolled: (listing: Listing | undefined, error: ConnectError | undefined) => void;
  /** Is called with an error that another poll cannot mend. */
  readonly onFailed: (error: ConnectError) => void;
}

/** Polls a feed as often as its upstream allows. */
export class Poller {
  private readonly options: PollerOptions;
  private readonly interval: PollInterval;
  private readonly backoff = new PageBackoff();
  private pages: FeedPages;
  /** On the clock's monotonic scale. */
  private nextAt: number;
  private running: AbortController | undefined;
  /** A poll is under way. */
  private isAsking = false;

  constructor(options: PollerOptions) {
    const { adapter, mayPollAt } = options;
    this.options = options;
    this.nextAt = mayPollAt;
    this.interval = new PollInterval(adapter);
    this.pages = this.newPages();
  }

  get intervalMs(): number {
    return this.interval.ms;
  }

  /** How long the next poll waits, in milliseconds. */
  get waitMs(): number {
    return Math.max(this.nextAt - this.options.clock.monotonic(), 0);
  }

  /** When the next poll is, in milliseconds since 1970; undefined where another process polls. */
  get nextPollAt(): number | undefined {
    const { clock } = this.options;
    return this.running && clock.now() + this.waitMs;
  }

  /** When another poller may poll after this one, on the clock's monotonic scale. */
  get mayPollAt(): number {
    // a poll that is cut has been made
    const wait = this.isAsking ? this.interval.ms : 0;
    return Math.max(this.nextAt, this.options.clock.monotonic() + wait);
  }

  /** Polls from now on; a poller that runs goes on with the poll that is under way. */
  start(): void {
    if (this.running !== undefined) return;
    const running = new AbortController();
    this.running = running;
    // what a poll has read that was cut, nobody has got
    this.pages = this.newPages();
    this.run(running.signal).catch((cause) => {
      if (!running.signal.aborted) this.broken(cause);
    });
  }

  stop(): void {
    this.running?.abort();
    this.running = undefined;
  }

  /**
   * Follows the polls of another process.
   *
   * @param polledAt when its last poll began or was over, in milliseconds since 1970
   * @param waitMs how long it waits for the next one
   */
  follow(polledAt: number, intervalMs: number, waitMs: number = intervalMs): void {
    const { clock, mayPollAt } = this.options;
    this.interval.ms = boundedInterval(intervalMs);
    const ms = boundedInterval(waitMs);
    // clocks of other processes may be wrong: at most one wait is waited for their sake
    const left = Math.min(Math.max(polledAt + ms - clock.now(), 0), ms);
    this.nextAt = Math.max(clock.monotonic() + left, mayPollAt);
  }

  private async run(signal: AbortSignal): Promise<void> {
    // its first step is not the caller's, who may still be making the feed
    await Promise.resolve();
    while (!signal.aborted) {
      // polls of other processes put it off while it waits
      await sleepUntil(() => this.nextAt, this.options.clock, signal);
      await this.options.onPolling();
      if (this.waitMs === 0 && !signal.aborted) await this.poll(signal);
    }
  }

  private async poll(signal: AbortSignal): Promise<void> {
    const { clock, asker, onPolled, onFailed } = this.options;
    const { header, runAs } = asker();
    const poll = this.options.call(header, signal);
    this.isAsking = true;
    const { listing, error } = await runAs(() => this.ask(poll));
    this.isAsking = false;
    if (signal.aborted) return;
    const wait = this.waitAfter(error, listing);
    if (wait === undefined) {
      onFailed(poll.call.errorOf(error));
      return;
    }
    this.nextAt = clock.monotonic() + jittered(wait, clock);
    const failure = error ?? this.backoff.error;
    onPolled(listing, failure === undefined ? undefined : poll.call.errorOf(failure));
  }

  /** How long the next poll waits; undefined where it makes no sense. */
  private waitAfter(error: unknown, listing: Listing | undefined): number | undefined {
    if (listing === undefined) return this.interval.waitAfter(error);
    if (listing.isComplete) this.backoff.clear();
    const wait = this.interval.waitAfter(undefined);
    if (error === undefined) return wait;
    const page = { index: listing.pages, error };
    const { ms: intervalMs } = this.interval;
    if (!this.backoff.fail(page, intervalMs, this.options.clock.monotonic())) return undefined;
    // a limit is one of the feed, and not of a page
    return isLimit(error) ? waitAfterFailure({ error, intervalMs, failures: 0 }) : wait;
  }

  /** Resolves to what was read, where that is a page at least. */
  private async ask({
    call,
    check,
  }: Poll): Promise<{ readonly listing?: Listing; readonly error?: unknown }> {
    try {
      await check();
    } catch (error) {
      return { error };
    }
    const { message, window, clock } = this.options;
    const limit = this.backoff.limitAt(clock.monotonic());
    const polled = await this.pages.poll(call, call.request(message), limit, (key) => window.keeps(key));
    return polled.listing.pages > 0 ? polled : { error: polled.error };
  }

  private newPages(): FeedPages {
    return new FeedPages(({ header }) => this.interval.responded(header));
  }

  private broken(cause: unknown): void {
    const names = { ...namesOf(this.options.adapter), step: "polling the feed" };
    this.options.onFailed(restError("ADAPTER_FAILED", names, { cause }));
  }
}

function isLimit(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.ResourceExhausted;
}
