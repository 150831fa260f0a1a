import { monitorEventLoopDelay } from "node:perf_hooks";
import v8 from "node:v8";
import type { LimitName, Limits } from "../limits.ts";

/** How busy the process is. */
export interface Load {
  /** By how much the event loop is late, in milliseconds, on average since it was asked for last. */
  readonly eventLoopDelayMs: number;
  /** Heap in use, of what there may be. */
  readonly heapPercent: number;
}

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
  constructor(limits: Limits, read: () => Load = loadReader()) {
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

const RESOLUTION_MS = 10;

/** Reads the load of this process. */
function loadReader(): () => Load {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  return () => {
    const { used_heap_size, heap_size_limit } = v8.getHeapStatistics();
    const eventLoopDelayMs = delays.count === 0 ? 0 : Math.max(0, delays.mean / 1e6 - RESOLUTION_MS);
    delays.reset();
    return { eventLoopDelayMs, heapPercent: (100 * used_heap_size) / heap_size_limit };
  };
}
