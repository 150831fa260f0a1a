import type { Clock } from "connect-rest-codec/internal";
import type { BreakerSettings } from "./breaker-options.ts";
import { Cooldown } from "./cooldown.ts";
import { Outcomes } from "./outcomes.ts";

/** The state of a circuit. In `half_open`, probes are running. */
export type CircuitState = "closed" | "open" | "half_open";

/** The evidence that the outcome of a request provides about the protected origin. */
export type Finding = "works" | "fails" | "nothing";

/** The retry delay of calls that are rejected while a probe runs. */
export const PROBE_MS = 1_000;

/** Called on each change of state, with the cooldown of a circuit that opens. */
type OnChange = (state: CircuitState, cooldownMs: number | undefined) => void;

/**
 * A circuit: closed until requests fail, then open for a cooldown, then half open. While it is half open,
 * each caller may send one probe, and the first conclusive probe decides. An inconclusive probe of one caller
 * thus does not delay other callers. A circuit has no timers: it reads the clock when a request asks for
 * admission.
 */
export class Circuit {
  private readonly settings: BreakerSettings;
  private readonly clock: Clock;
  private readonly onChange: OnChange;
  private readonly outcomes: Outcomes;
  private cooldown: Cooldown;
  private state: CircuitState = "closed";
  /**
   * In `open`, the time at which the next request becomes a probe. In `half_open`, the time at which running
   * probes no longer count.
   */
  private until = 0;
  /** The callers whose probes are running. */
  private readonly probing = new Set<string>();
  private era = 0;

  constructor(settings: BreakerSettings, clock: Clock, onChange: OnChange) {
    this.settings = settings;
    this.clock = clock;
    this.onChange = onChange;
    this.outcomes = new Outcomes(settings);
    this.cooldown = new Cooldown(settings, clock);
  }

  /** Whether the circuit is closed and no recent request has failed. */
  get isIdle(): boolean {
    return this.state === "closed" && this.outcomes.areGood;
  }

  /** Returns how long a request of a caller has to wait, in milliseconds, or undefined if it may be sent. */
  waitMs(caller: string): number | undefined {
    if (this.state === "closed") return undefined;
    const leftMs = this.until - this.clock.monotonic();
    if (leftMs <= 0) return undefined;
    if (this.state === "open") return leftMs;
    return this.probing.has(caller) ? Math.min(leftMs, PROBE_MS) : undefined;
  }

  /** Begins a request that does not have to wait. Returns the era for `end`. */
  begin(caller: string): number {
    if (this.state !== "closed") {
      const now = this.clock.monotonic();
      if (this.state === "open" || now >= this.until) {
        this.probing.clear();
        this.until = now + this.cooldown.ms;
        this.change("half_open");
      }
      this.probing.add(caller);
    }
    return this.era;
  }

  /** Ends a request. Requests that began before the last state change are ignored. */
  end(era: number, caller: string, finding: Finding): void {
    if (era !== this.era) return;
    if (finding === "nothing") {
      this.probing.delete(caller);
    } else if (this.state === "half_open") {
      this.probed(finding);
    } else {
      this.outcomes.add(finding === "fails");
      if (finding === "fails" && this.outcomes.areFailing) this.open();
    }
  }

  private probed(finding: "works" | "fails"): void {
    if (finding === "fails") {
      this.cooldown.grow();
      this.open();
    } else {
      this.outcomes.clear();
      this.cooldown = new Cooldown(this.settings, this.clock);
      this.change("closed");
    }
  }

  private open(): void {
    this.until = this.clock.monotonic() + this.cooldown.ms;
    this.change("open");
  }

  private change(state: CircuitState): void {
    this.era++;
    this.state = state;
    this.onChange(state, state === "open" ? this.cooldown.ms : undefined);
  }
}
