import type { Clock } from "connect-rest-codec/internal";
import type { RateLimitRule } from "../adapter/rules.ts";
import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { sleep } from "../time/abort.ts";
import { CalendarDay } from "./calendar-day.ts";
import { type RateLimitSettings, shareOf } from "./rate-limit-options.ts";
import { SlidingWindow } from "./sliding-window.ts";
import type { Window } from "./window.ts";

/** The number of requests after which empty windows are dropped. */
const SWEEP_EVERY = 1000;

/** A request that asks for admission. */
export interface Limited {
  /** The method's full name. */
  readonly method: string;
  readonly rules: readonly RateLimitRule[];
  /** Identifies the credentials. Called only if a rule counts per set of credentials. */
  readonly identity: () => string;
  readonly signal: AbortSignal;
  /** The time of the deadline, on the clock's monotonic scale. Undefined if there is no deadline. */
  readonly expiresAt: number | undefined;
}

interface Slot {
  readonly rule: RateLimitRule;
  /** The number of requests that the rule allows this process. */
  readonly requests: number;
  readonly window: Window;
}

/** Keeps the requests that this process sends to one upstream within the declared rate limits. */
export class RateLimiter {
  private readonly upstream: string;
  private readonly clock: Clock;
  private readonly share: number;
  private readonly windows = new Map<string, Window>();
  private admitted = 0;

  constructor(upstream: string, { share }: RateLimitSettings, clock: Clock) {
    this.upstream = upstream;
    this.share = share;
    this.clock = clock;
  }

  /**
   * Waits until a request may be sent, and counts the request.
   *
   * @throws ConnectError RESOURCE_EXHAUSTED, reason LOCAL_RATE_LIMIT, with a google.rpc.RetryInfo,
   *   immediately if the deadline would pass first; the reason of the signal if it is aborted
   */
  async admit(request: Limited): Promise<void> {
    const slots = request.rules.map((rule) => ({
      rule,
      requests: shareOf(rule.requests, this.share),
      window: this.windowOf(rule, request),
    }));
    const now = this.clock.monotonic();
    for (const { window } of slots) window.forget(now);
    const time = earliest(slots, now);
    if (request.expiresAt !== undefined && time > now && time >= request.expiresAt) {
      throw this.rejected(request, slots, now, time - now);
    }
    for (const { window } of slots) window.add(time);
    this.sweep(now);
    if (time > now) await this.wait(slots, time, now, request.signal);
  }

  private async wait(slots: readonly Slot[], time: number, now: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(time - now, this.clock, signal);
    } catch (error) {
      for (const { window } of slots) window.remove(time);
      throw error;
    }
  }

  private rejected({ method }: Limited, slots: readonly Slot[], now: number, delayMs: number): Error {
    const delay = Math.ceil(delayMs);
    const used = slots.find(({ requests, window }) => window.earliest(now, requests) > now) ?? slots[0];
    const { requests = 0, rule } = used ?? {};
    const { windowMs = 0, calendarDay } = rule ?? {};
    const window = calendarDay === undefined ? `${windowMs} ms` : `day (${calendarDay})`;
    const values = { upstream: this.upstream, method, requests, window, delay };
    return restError("LOCAL_RATE_LIMIT", values, { details: [retryInfo(delay)] });
  }

  /**
   * Returns the window of a rule. Rules with the same bucket and window length share a window, even if they
   * allow different numbers of requests.
   */
  private windowOf(rule: RateLimitRule, { method, identity }: Limited): Window {
    const { bucket, windowMs, calendarDay, perCredentials } = rule;
    const span = calendarDay === undefined ? windowMs : calendarDay;
    const key = JSON.stringify([bucket === "" ? method : bucket, span, perCredentials ? identity() : ""]);
    const known = this.windows.get(key);
    if (known !== undefined) return known;
    const created =
      calendarDay === undefined ? new SlidingWindow(windowMs) : new CalendarDay(calendarDay, this.clock);
    this.windows.set(key, created);
    return created;
  }

  /** Drops windows for credentials that are no longer in use. */
  private sweep(now: number): void {
    if (++this.admitted % SWEEP_EVERY !== 0) return;
    for (const [key, window] of this.windows) {
      window.forget(now);
      if (window.empty) this.windows.delete(key);
    }
  }
}

/** Returns the earliest time at which all windows have room. */
function earliest(slots: readonly Slot[], now: number): number {
  let time = now;
  for (;;) {
    const suited = slots.reduce((at, { requests, window }) => window.earliest(at, requests), time);
    if (suited === time) return time;
    time = suited;
  }
}
