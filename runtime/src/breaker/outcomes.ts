import type { BreakerSettings } from "./breaker-options.ts";

type Limits = Pick<BreakerSettings, "failures" | "window" | "ratio">;

/** A sliding window of the outcomes of recent requests. */
export class Outcomes {
  private readonly limits: Limits;
  /** Whether each request failed, newest last. */
  private readonly recent: boolean[] = [];

  constructor(limits: Limits) {
    this.limits = limits;
  }

  add(failed: boolean): void {
    this.recent.push(failed);
    if (this.recent.length > this.limits.window) this.recent.shift();
  }

  /** Whether no request has failed recently. */
  get areGood(): boolean {
    return !this.recent.includes(true);
  }

  /** Whether enough requests failed to expect further failures. */
  get areFailing(): boolean {
    return isFailing(this.recent, this.limits, this.limits.window);
  }

  clear(): void {
    this.recent.length = 0;
  }
}

/** A sliding window of outcomes, with the callers of the requests. */
export class CallerOutcomes {
  private readonly limits: Limits;
  private recent: Array<{ readonly caller: string; readonly failed: boolean }> = [];

  constructor(limits: Limits) {
    this.limits = limits;
  }

  add(caller: string, failed: boolean): void {
    this.recent.push({ caller, failed });
    if (this.recent.length > this.limits.window) this.recent.shift();
  }

  /** Whether requests also fail for callers other than the caller with the most failures. */
  get areFailingForSeveral(): boolean {
    const worst = this.worst();
    const others = this.recent.filter(({ caller }) => caller !== worst).map(({ failed }) => failed);
    return isFailing(others, this.limits, Math.ceil(this.limits.window / 2));
  }

  clear(): void {
    this.recent = [];
  }

  private worst(): string | undefined {
    const counts = new Map<string, number>();
    let worst: string | undefined;
    for (const { caller, failed } of this.recent) {
      if (!failed) continue;
      const count = (counts.get(caller) ?? 0) + 1;
      counts.set(caller, count);
      if (count > (counts.get(worst ?? "") ?? 0) || worst === undefined) worst = caller;
    }
    return worst;
  }
}

/**
 * @param enough the minimum number of outcomes for comparing the failure ratio, since a few outcomes are not
 *   significant
 */
function isFailing(outcomes: readonly boolean[], { failures, ratio }: Limits, enough: number): boolean {
  const last = outcomes.slice(-failures);
  if (last.length === failures && last.every((failed) => failed)) return true;
  return outcomes.length >= enough && outcomes.filter((failed) => failed).length >= ratio * outcomes.length;
}
