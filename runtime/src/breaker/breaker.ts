import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { type Clock, fraction } from "../time/clock.ts";
import type { BreakerSettings } from "./breaker-options.ts";
import { Outcomes } from "./outcomes.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** The state of a circuit. `half_open`: one probe is on its way. */
export type BreakerState = "closed" | "open" | "half_open";

/** A state change of a circuit breaker. */
export interface BreakerReport {
  readonly upstream: string;
  /** Scheme, host and port of the base address. */
  readonly origin: string;
  readonly state: BreakerState;
  /** How long the circuit stays open; undefined in other states. */
  readonly cooldownMs: number | undefined;
}

/** Permission for one request. `end` must be called exactly once, whatever the outcome. */
export interface Permit {
  /** Called when the request is sent: from here on the upstream accounts for the time. */
  sent(): void;
  /** @param error what the request ended with; undefined when it succeeded */
  end(error: unknown): void;
}

/** The permit of an upstream without a circuit breaker. */
export const UNWATCHED: Permit = { sent: () => undefined, end: () => undefined };

/** A shorter deadline says nothing about an upstream that did not respond within it. */
const MIN_DEADLINE_MS = 100;

/** The retry delay of calls that are refused while a probe is on its way. */
const PROBE_MS = 1_000;

/** What a breaker protects. */
export interface BreakerPlace {
  readonly upstream: string;
  readonly origin: string;
}

/**
 * A circuit breaker: refuses requests to an upstream that fails, and probes it after a cooldown. It does no I/O and has no
 * timers; the clock is read when a request asks for admission.
 */
export class Breaker {
  private readonly place: BreakerPlace;
  private readonly settings: BreakerSettings;
  private readonly clock: Clock;
  private readonly onChange: (report: BreakerReport) => void;
  private readonly outcomes: Outcomes;
  private state: BreakerState = "closed";
  private cooldownMs: number;
  /** In `open`: when the next request becomes the probe. In `half_open`: when the probe is given up. */
  private until = 0;
  /** Permits of an earlier era no longer count. */
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
    this.cooldownMs = settings.cooldownMs;
  }

  /** @throws ConnectError UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN, with a google.rpc.RetryInfo */
  admit(): Permit {
    if (this.state !== "closed") {
      const now = this.clock.monotonic();
      if (now < this.until) throw this.refused(now);
      this.until = now + this.cooldownMs;
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
    if (this.state === "half_open") {
      this.probed(verdict);
    } else if (verdict !== "nothing" && this.outcomes.add(verdict === "works")) this.open();
  }

  private probed(verdict: Verdict): void {
    if (verdict === "fails") {
      this.cooldownMs = Math.min(this.cooldownMs * (1.5 + fraction(this.clock)), this.settings.maxCooldownMs);
      this.open();
    } else if (verdict === "works") {
      this.cooldownMs = this.settings.cooldownMs;
      this.outcomes.clear();
      this.change("closed");
    } else {
      // the probe was inconclusive, so the next request is one
      this.until = this.clock.monotonic();
    }
  }

  private open(): void {
    this.cooldownMs = Math.ceil(this.cooldownMs);
    this.until = this.clock.monotonic() + this.cooldownMs;
    this.change("open");
  }

  private change(state: BreakerState): void {
    this.era++;
    this.state = state;
    this.onChange({ ...this.place, state, cooldownMs: state === "open" ? this.cooldownMs : undefined });
  }

  private refused(now: number): Error {
    const rest = Math.ceil(this.until - now);
    const delay = this.state === "open" ? rest : Math.min(rest, PROBE_MS);
    const { upstream } = this.place;
    return restError("UPSTREAM_CIRCUIT_OPEN", { upstream, delay }, { details: [retryInfo(delay)] });
  }
}
