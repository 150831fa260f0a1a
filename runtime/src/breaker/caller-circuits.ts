import type { Clock } from "connect-rest-codec/internal";
import type { BreakerSettings } from "./breaker-options.ts";
import { Cooldown } from "./cooldown.ts";
import type { Verdict } from "./verdict.ts";

/** Callers whose circuits are remembered; beyond it the oldest is forgotten, and its caller tries again. */
const MAX_CALLERS = 1000;

interface Circuit {
  readonly cooldown: Cooldown;
  // biome-ignore lint/plugin: when the next request may find out
  until: number;
}

/** Circuits that are open for one caller, whose requests fail where those of others do not. */
export class CallerCircuits {
  private readonly settings: BreakerSettings;
  private readonly clock: Clock;
  private readonly circuits = new Map<string, Circuit>();

  constructor(settings: BreakerSettings, clock: Clock) {
    this.settings = settings;
    this.clock = clock;
  }

  open(caller: string, cooldown: Cooldown = new Cooldown(this.settings, this.clock)): void {
    this.circuits.set(caller, { cooldown, until: this.clock.monotonic() + cooldown.ms });
    const [oldest] = this.circuits.keys();
    if (this.circuits.size > MAX_CALLERS && oldest !== undefined) this.circuits.delete(oldest);
  }

  get size(): number {
    return this.circuits.size;
  }

  has(caller: string): boolean {
    return this.circuits.has(caller);
  }

  /** How long the circuit of a caller stays open, in milliseconds; undefined where it has none. */
  cooldownOf(caller: string): number | undefined {
    return this.circuits.get(caller)?.cooldown.ms;
  }

  /**
   * How long a caller has to wait, in milliseconds; undefined when it may make a request, which finds out.
   */
  admit(caller: string): number | undefined {
    const circuit = this.circuits.get(caller);
    if (circuit === undefined) return undefined;
    const now = this.clock.monotonic();
    if (now < circuit.until) return circuit.until - now;
    circuit.until = now + circuit.cooldown.ms;
    return undefined;
  }

  /** What a request has found out. */
  probed(caller: string, verdict: Verdict): void {
    const circuit = this.circuits.get(caller);
    if (circuit === undefined) return;
    if (verdict === "works") {
      this.circuits.delete(caller);
    } else if (verdict === "fails") {
      circuit.cooldown.grow();
      circuit.until = this.clock.monotonic() + circuit.cooldown.ms;
    } else {
      circuit.until = this.clock.monotonic();
    }
  }

  clear(): void {
    this.circuits.clear();
  }
}
