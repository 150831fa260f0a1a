import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { type Clock, fraction } from "../time/clock.ts";
import type { BreakerSettings } from "./breaker-options.ts";
import { Outcomes } from "./outcomes.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** `half_open`: one request is sent to find out. */
export type BreakerState = "closed" | "open" | "half_open";

/** A change of a breaker. */
export interface BreakerReport {
  readonly upstream: string;
  /** Scheme, host and port of the base address. */
  readonly origin: string;
  readonly state: BreakerState;
  /** How long it stays open; undefined in other states. */
  readonly coolingMs: number | undefined;
}

/** A request that may be made. `end` is called once, however it goes. */
export interface Permit {
  /** Called when the request goes out: from here on it is the upstream that takes its time. */
  sent(): void;
  /** @param error what the request ended with; undefined when it was responded */
  end(error: unknown): void;
}

/** The permit of an upstream without a breaker. */
export const UNWATCHED: Permit = { sent: () => undefined, end: () => undefined };

/** Less time than this says nothing about an upstream that did not respond within it. */
const MIN_DEADLINE_MS = 100;

/** How long to wait while another request finds out. */
const PROBE_MS = 1_000;

/** Where a breaker stands. */
export interface BreakerPlace {
  readonly upstream: string;
  readonly origin: string;
}

/**
 * Keeps requests from an upstream that fails. It does no I/O and has no timer: time passes when it is asked.
 */
export class Breaker {
  private readonly place: BreakerPlace;
  private readonly settings: BreakerSettings;
  private readonly clock: Clock;
  private readonly onChange: (report: BreakerReport) => void;
  private readonly outcomes: Outcomes;
  private state: BreakerState = "closed";
  private coolingMs: number;
  /** In `open`: when a request may try. In `half_open`: when the one that tries is given up. */
  private until = 0;
  /** Permits of an earlier era have no say. */
  private era = 0;

  constructor(
    place: BreakerPlace,
    settings: BreakerSettings,
    clock: Clock,
    onChange: (report: BreakerReport) => void,
  ) {
    this.place = place;
    this.settings = settings;
    this.clock = clock;
    this.onChange = onChange;
    this.outcomes = new Outcomes(settings);
    this.coolingMs = settings.coolingMs;
  }

  /** @throws ConnectError UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN, with a google.rpc.RetryInfo */
  admit(): Permit {
    if (this.state !== "closed") {
      const now = this.clock.monotonic();
      if (now < this.until) throw this.refused(now);
      this.until = now + this.coolingMs;
      this.change("half_open");
    }
    return this.permit(this.era);
  }

  private permit(era: number): Permit {
    let sentAt: number | undefined;
    return {
      sent: () => {
        sentAt = this.clock.monotonic();
      },
      end: (error) => {
        if (era === this.era) this.count(error === undefined ? "works" : this.verdict(error, sentAt));
      },
    };
  }

  private verdict(error: unknown, sentAt: number | undefined): Verdict {
    if (sentAt === undefined) return "nothing";
    const verdict = verdictOf(error);
    if (verdict !== "late") return verdict;
    return this.clock.monotonic() - sentAt >= MIN_DEADLINE_MS ? "fails" : "nothing";
  }

  private count(verdict: Verdict): void {
    if (this.state === "half_open") this.probed(verdict);
    else if (verdict !== "nothing" && this.outcomes.add(verdict === "works")) this.open();
  }

  private probed(verdict: Verdict): void {
    if (verdict === "fails") {
      this.coolingMs = Math.min(this.coolingMs * (1.5 + fraction(this.clock)), this.settings.maxCoolingMs);
      this.open();
    } else if (verdict === "works") {
      this.coolingMs = this.settings.coolingMs;
      this.outcomes.clear();
      this.change("closed");
    } else {
      // nothing was found out, so the next request tries
      this.until = this.clock.monotonic();
    }
  }

  private open(): void {
    this.coolingMs = Math.ceil(this.coolingMs);
    this.until = this.clock.monotonic() + this.coolingMs;
    this.change("open");
  }

  private change(state: BreakerState): void {
    this.era++;
    this.state = state;
    this.onChange({ ...this.place, state, coolingMs: state === "open" ? this.coolingMs : undefined });
  }

  private refused(now: number): Error {
    const rest = Math.ceil(this.until - now);
    const delay = this.state === "open" ? rest : Math.min(rest, PROBE_MS);
    const { upstream } = this.place;
    return restError("UPSTREAM_CIRCUIT_OPEN", { upstream, delay }, { details: [retryInfo(delay)] });
  }
}
