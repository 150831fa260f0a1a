import type { BreakerSettings } from "./breaker-options.ts";

interface Outcome {
  readonly caller: string;
  readonly failed: boolean;
}

/** A sliding window of the outcomes of recent requests, and whose they were. */
export class Outcomes {
  private readonly limits: Pick<BreakerSettings, "failures" | "window" | "ratio">;
  /** The newest last. */
  private recent: Outcome[] = [];

  constructor(limits: Pick<BreakerSettings, "failures" | "window" | "ratio">) {
    this.limits = limits;
  }

  add(caller: string, failed: boolean): void {
    this.recent.push({ caller, failed });
    if (this.recent.length > this.limits.window) this.recent.shift();
  }

  /** The only caller there is lately; undefined for several. */
  get onlyCaller(): string | undefined {
    const [first] = this.recent;
    return first !== undefined && this.recent.every(({ caller }) => caller === first.caller)
      ? first.caller
      : undefined;
  }

  /** Whether the requests of any caller fail, as far as one can tell from all. */
  get failing(): boolean {
    return this.isFailing(this.recent, this.limits.window);
  }

  /** Whether requests fail of others than the one caller that fails the most. */
  get failingForSeveral(): boolean {
    const worst = this.worst();
    const others = this.recent.filter(({ caller }) => caller !== worst);
    return this.isFailing(others, Math.ceil(this.limits.window / 2));
  }

  /** Whether the requests of one caller fail. */
  failingFor(caller: string): boolean {
    const own = this.recent.filter((each) => each.caller === caller);
    return this.isFailing(own, Math.ceil(this.limits.window / 2));
  }

  forget(caller: string): void {
    this.recent = this.recent.filter((each) => each.caller !== caller);
  }

  clear(): void {
    this.recent = [];
  }

  /** @param enough outcomes that a ratio can be of: one of a few says little */
  private isFailing(outcomes: readonly Outcome[], enough: number): boolean {
    const { failures, ratio } = this.limits;
    const last = outcomes.slice(-failures);
    if (last.length === failures && last.every(({ failed }) => failed)) return true;
    const failed = outcomes.filter((each) => each.failed).length;
    return outcomes.length >= enough && failed >= ratio * outcomes.length;
  }

  private worst(): string | undefined {
    const counts = new Map<string, number>();
    for (const { caller } of this.recent.filter(({ failed }) => failed)) {
      counts.set(caller, (counts.get(caller) ?? 0) + 1);
    }
    let [worst, most]: [string | undefined, number] = [undefined, 0];
    for (const entry of counts) if (entry[1] > most) [worst, most] = entry;
    return worst;
  }
}
