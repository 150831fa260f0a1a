import type { Clock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import type { BreakerSettings } from "./breaker-options.ts";
import { CallerCircuits } from "./caller-circuits.ts";
import { Cooldown } from "./cooldown.ts";
import { Latencies } from "./latencies.ts";
import { Outcomes } from "./outcomes.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** The state of a circuit. `half_open`: one probe is on its way. */
export type BreakerState = "closed" | "open" | "half_open";

/** A state change of a circuit breaker, or of the circuit of one caller in it. */
export interface BreakerReport {
  readonly upstream: string;
  /** Scheme, host and port of the base address. */
  readonly origin: string;
  readonly state: BreakerState;
  /** How long the circuit stays open; undefined in other states. */
  readonly cooldownMs: number | undefined;
  /**
   * The caller whose circuit it is: its requests fail where those of others do not, and it alone is refused.
   * Absent where it is the circuit of all.
   */
  readonly caller?: string | undefined;
}

/** Permission for one request. `end` must be called exactly once, whatever the outcome. */
export interface Permit {
  /** Called when the request is sent: from here on the upstream accounts for the time. */
  sent(): void;
  /** @param error what the request ended with; undefined when it succeeded */
  end(error: unknown): void;
}

/** Whose request it is, and of which method. */
export interface RequestOrigin {
  /** Default: all requests are of the same caller. */
  readonly caller?: string | undefined;
  readonly method?: string | undefined;
}

/** The permit of an upstream without a circuit breaker. */
export const UNWATCHED: Permit = { sent: () => undefined, end: () => undefined };

/** The retry delay of calls that are refused while a probe is on its way. */
const PROBE_MS = 1_000;

/** What a breaker protects. */
export interface BreakerPlace {
  readonly upstream: string;
  readonly origin: string;
}

/**
 * A circuit breaker: refuses requests to an upstream that fails, and probes it after a cooldown. An upstream
 * fails when the requests of several callers do, or of the only one there is; the latter is refused alone,
 * until the requests of others show which of the two it is. One that fails while others succeed has a circuit
 * of its own. It does no I/O and has no timers; the clock is read when a request asks for admission.
 */
export class Breaker {
  private readonly place: BreakerPlace;
  private readonly settings: BreakerSettings;
  private readonly clock: Clock;
  private readonly onChange: (report: BreakerReport) => void;
  private readonly outcomes: Outcomes;
  private readonly latencies = new Latencies();
  private readonly callers: CallerCircuits;
  private cooldown: Cooldown;
  private state: BreakerState = "closed";
  /** In `open`: when the next request becomes the probe. In `half_open`: when the probe is given up. */
  private until = 0;
  /** In `open`: the only caller whose requests have failed; those of others are let through. */
  private suspect: string | undefined;
  /** The caller whose probe failed last; another's is sent after the shortest cooldown. */
  private failedProber: string | undefined;
  private failedAt = 0;
  /** Whether a request has succeeded since the circuit of a caller was opened. */
  private worksForSome = false;
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
    this.callers = new CallerCircuits(settings, clock);
    this.cooldown = new Cooldown(settings, clock);
  }

  /** @throws ConnectError UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN, with a google.rpc.RetryInfo */
  admit({ caller = "", method = "" }: RequestOrigin = {}): Permit {
    if (this.state !== "closed") return this.admitToOpen(caller, method);
    const waitMs = this.callers.admit(caller);
    if (waitMs !== undefined) throw this.refused(waitMs);
    return this.permit(caller, method, (verdict) => this.count(caller, verdict));
  }

  private admitToOpen(caller: string, method: string): Permit {
    if (this.suspect !== undefined && caller !== this.suspect) {
      return this.permit(caller, method, (verdict) => this.tried(caller, verdict));
    }
    const now = this.clock.monotonic();
    const until = this.untilFor(caller);
    if (now < until) {
      throw this.refused(this.state === "open" ? until - now : Math.min(until - now, PROBE_MS));
    }
    this.until = now + this.cooldown.ms;
    this.change("half_open");
    return this.permit(caller, method, (verdict) => this.probed(caller, verdict));
  }

  /** A caller whose own requests fail must not keep others waiting with its probes. */
  private untilFor(caller: string): number {
    const { failedProber } = this;
    if (this.state !== "open" || failedProber === undefined || failedProber === caller) return this.until;
    return Math.min(this.until, this.failedAt + this.settings.cooldownMs);
  }

  private permit(caller: string, method: string, count: (verdict: Verdict) => void): Permit {
    const { era } = this;
    let sentAt: number | undefined;
    return {
      sent: () => {
        sentAt = this.clock.monotonic();
      },
      end: (error) => {
        const ms = sentAt === undefined ? undefined : this.clock.monotonic() - sentAt;
        if (error === undefined && ms !== undefined) this.latencies.add(method, ms);
        const verdict = error === undefined ? "works" : this.verdict(error, method, ms);
        if (era === this.era) {
          count(verdict);
        } else if (verdict === "works" && this.suspect !== undefined) this.tried(caller, verdict);
      },
    };
  }

  private verdict(error: unknown, method: string, ms: number | undefined): Verdict {
    if (ms === undefined) return "nothing";
    const verdict = verdictOf(error);
    if (verdict !== "late") return verdict;
    return this.latencies.isLate(method, ms) ? "fails" : "nothing";
  }

  private count(caller: string, verdict: Verdict): void {
    if (this.callers.has(caller)) {
      this.callers.probed(caller, verdict);
      if (!this.callers.has(caller)) this.reportCaller(caller, "closed");
    }
    if (verdict === "nothing") return;
    this.outcomes.add(caller, verdict === "fails");
    if (verdict === "works") {
      this.worksForSome = true;
      return;
    }
    const only = this.outcomes.onlyCaller;
    if (only === undefined ? this.outcomes.failingForSeveral : this.outcomes.failing) {
      this.suspect = only;
      this.open();
    } else if (only === undefined && !this.callers.has(caller) && this.outcomes.failingFor(caller)) {
      this.openFor(caller);
    }
  }

  /** Refuses one caller; all of them when a second one fails without a success of anybody in between. */
  private openFor(caller: string): void {
    if (this.callers.size > 0 && !this.worksForSome) {
      this.open();
      return;
    }
    this.callers.open(caller);
    this.reportCaller(caller, "open");
    this.outcomes.forget(caller);
    this.worksForSome = false;
  }

  /** What the request of another found out about a circuit that is open because of one caller. */
  private tried(caller: string, verdict: Verdict): void {
    if (verdict === "nothing" || this.suspect === undefined || caller === this.suspect) return;
    if (verdict === "works") {
      this.callers.open(this.suspect, this.cooldown);
      this.reportCaller(this.suspect, "open");
      this.worksForSome = true;
      this.outcomes.forget(this.suspect);
      this.outcomes.add(caller, false);
      this.close();
      return;
    }
    this.outcomes.add(caller, true);
    if (this.outcomes.failingForSeveral) this.suspect = undefined;
  }

  private probed(caller: string, verdict: Verdict): void {
    if (verdict === "fails") {
      const isSecond = this.failedProber !== undefined && this.failedProber !== caller;
      this.failedProber = isSecond ? undefined : caller;
      this.failedAt = this.clock.monotonic();
      this.cooldown.grow();
      this.open();
    } else if (verdict === "works") {
      this.outcomes.clear();
      this.callers.clear();
      this.close();
    } else {
      // the probe was inconclusive, so the next request is one
      this.until = this.clock.monotonic();
    }
  }

  private close(): void {
    this.cooldown = new Cooldown(this.settings, this.clock);
    this.suspect = undefined;
    this.failedProber = undefined;
    this.change("closed");
  }

  private open(): void {
    this.until = this.clock.monotonic() + this.cooldown.ms;
    this.change("open");
  }

  private change(state: BreakerState): void {
    this.era++;
    this.state = state;
    this.onChange({ ...this.place, state, cooldownMs: state === "open" ? this.cooldown.ms : undefined });
  }

  /** Circuits of callers change nothing about that of all. */
  private reportCaller(caller: string, state: "open" | "closed"): void {
    const cooldownMs = state === "open" ? this.callers.cooldownOf(caller) : undefined;
    this.onChange({ ...this.place, state, cooldownMs, caller });
  }

  private refused(waitMs: number): Error {
    const delay = Math.ceil(waitMs);
    const { upstream } = this.place;
    return restError("UPSTREAM_CIRCUIT_OPEN", { upstream, delay }, { details: [retryInfo(delay)] });
  }
}
