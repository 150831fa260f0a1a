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
  /** Checks the identity before the poll, since the credentials may now belong to another user. */
  readonly check: () => Promise<void>;
}

/** The watcher in whose context a feed is polled. */
export type Asker = Pick<Watcher, "header" | "runAs">;

/** The callbacks and state of the feed that a poller needs. */
export interface PollerOptions {
  readonly adapter: PollAdapter;
  readonly message: MessageShape<DescMessage>;
  readonly clock: Clock;
  readonly window: FeedWindow;
  /** The earliest time of the first poll, on the clock's monotonic scale. */
  readonly mayPollAt: number;
  readonly asker: () => Asker;
  /** Announces that a poll begins. The poll waits until the announcement is made or the poller is stopped. */
  readonly onPolling: () => Promise<void>;
  /** Creates the call of one poll. */
  readonly call: (header: () => Headers, signal: AbortSignal) => Poll;
  /**
   * Called after each poll with the items that could be read, and with an error that the next poll may fix.
   */
  readonly onPolled: (listing: Listing | undefined, error: ConnectError | undefined) => void;
  /** Called with an error that another poll cannot fix. */
  readonly onFailed: (error: ConnectError) => void;
}

/** Polls a feed at the interval that its upstream allows. */
export class Poller {
  private readonly options: PollerOptions;
  private readonly interval: PollInterval;
  private readonly backoff = new PageBackoff();
  private pages: FeedPages;
  /** The time of the next poll, on the clock's monotonic scale. */
  private nextAt: number;
  private running: AbortController | undefined;
  /** Whether a poll is running. */
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

  /** The wait before the next poll, in milliseconds. */
  get waitMs(): number {
    return Math.max(this.nextAt - this.options.clock.monotonic(), 0);
  }

  /** The time of the next poll, in milliseconds since 1970. Undefined if another process polls. */
  get nextPollAt(): number | undefined {
    const { clock } = this.options;
    return this.running && clock.now() + this.waitMs;
  }

  /** The earliest time at which a succeeding poller may poll, on the clock's monotonic scale. */
  get mayPollAt(): number {
    // an aborted poll counts as a completed poll
    const wait = this.isAsking ? this.interval.ms : 0;
    return Math.max(this.nextAt, this.options.clock.monotonic() + wait);
  }

  /** Starts polling. A running poller finishes its current poll first. */
  start(): void {
    if (this.running !== undefined) return;
    const running = new AbortController();
    this.running = running;
    // no watcher has received the items of an aborted poll
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
   * Adopts the schedule of the process that polls.
   *
   * @param polledAt the start or end of that process's last poll, in milliseconds since 1970
   * @param waitMs the wait of that process before its next poll
   */
  follow(polledAt: number, intervalMs: number, waitMs: number = intervalMs): void {
    const { clock, mayPollAt } = this.options;
    this.interval.ms = boundedInterval(intervalMs);
    const ms = boundedInterval(waitMs);
    // the clocks of other processes may be wrong, so the wait is limited to one interval
    const left = Math.min(Math.max(polledAt + ms - clock.now(), 0), ms);
    this.nextAt = Math.max(clock.monotonic() + left, mayPollAt);
  }

  private async run(signal: AbortSignal): Promise<void> {
    // the first step is deferred, since the feed that starts this poller may not be fully constructed yet
    await Promise.resolve();
    while (!signal.aborted) {
      // during the wait, polls of other processes may postpone the next poll
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

  /** Returns the wait before the next poll, or undefined if polling again cannot help. */
  private waitAfter(error: unknown, listing: Listing | undefined): number | undefined {
    if (listing === undefined) return this.interval.waitAfter(error);
    if (listing.isComplete) this.backoff.clear();
    const wait = this.interval.waitAfter(undefined);
    if (error === undefined) return wait;
    const page = { index: listing.pages, error };
    const { ms: intervalMs } = this.interval;
    if (!this.backoff.fail(page, intervalMs, this.options.clock.monotonic())) return undefined;
    // a rate limit applies to the whole feed, not to one page
    return isLimit(error) ? waitAfterFailure({ error, intervalMs, failures: 0 }) : wait;
  }

  /** Resolves to the listing, if at least one page could be read. */
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
