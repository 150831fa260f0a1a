import { monitorEventLoopDelay } from "node:perf_hooks";
import v8 from "node:v8";

/** The load of the process. */
export interface Load {
  /** The average delay of the event loop since the previous reading, in milliseconds. */
  readonly eventLoopDelayMs: number;
  /** The used percentage of the heap limit. */
  readonly heapPercent: number;
}

const RESOLUTION_MS = 10;

/** Creates a reader of the load of this process. */
export function processLoad(): () => Load {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let [ticks, sum] = [0, 0];
  return () => {
    // never reset: the first tick after a reset is not recorded, and a blocked loop has no second tick
    const newTicks = delays.count - ticks;
    const newSum = delays.count === 0 ? 0 : delays.mean * delays.count - sum;
    ticks += newTicks;
    sum += newSum;
    const { used_heap_size, heap_size_limit } = v8.getHeapStatistics();
    return {
      eventLoopDelayMs: lateness(newSum, newTicks),
      heapPercent: (100 * used_heap_size) / heap_size_limit,
    };
  };
}

/** Returns the average delay of the ticks that together took `sum` nanoseconds, in milliseconds. */
const lateness = (sum: number, ticks: number) =>
  ticks === 0 ? 0 : Math.max(0, sum / ticks / 1e6 - RESOLUTION_MS);
