import type { LimitName, Limits } from "../limits.ts";
import { type Load, processLoad } from "./process-load.ts";

/** Why calls are not taken, and by which limit. */
export interface Overload {
  readonly limit: LimitName;
  readonly text: string;
}

const SAMPLE_MS = 250;

/** How many samples the average of the event loop's delay is taken over: a second. */
const SAMPLES = 4;

/** Watches how busy the process is. */
export class OverloadMonitor {
  private readonly limits: Limits;
  private readonly read: () => Load;
  private readonly timer: NodeJS.Timeout;
  private readonly delays: number[] = [];
  private found: Overload | undefined;

  /** `read` is for tests. */
  constructor(limits: Limits, read: () => Load = processLoad()) {
    this.limits = limits;
    this.read = read;
    this.timer = setInterval(() => this.sample(), SAMPLE_MS).unref();
  }

  /** Why calls should not be taken now; undefined when they should. */
  get current(): Overload | undefined {
    return this.found;
  }

  /** Looks at the process; done four times a second. */
  sample(): void {
    const { eventLoopDelayMs, heapPercent } = this.read();
    this.delays.push(eventLoopDelayMs);
    if (this.delays.length > SAMPLES) this.delays.shift();
    const delay = this.delays.reduce((sum, each) => sum + each, 0) / SAMPLES;
    this.found =
      this.beyond("eventLoopDelayMs", delay, "ms of delay in the event loop") ??
      this.beyond("heapPercent", heapPercent, "% of the heap in use");
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private beyond(
    limit: "eventLoopDelayMs" | "heapPercent",
    value: number,
    what: string,
  ): Overload | undefined {
    if (value <= this.limits[limit]) return undefined;
    const text = `the gateway is overloaded: ${Math.round(value)} ${what}, the limit ${limit} is ${this.limits[limit]}`;
    return { limit, text };
  }
}
