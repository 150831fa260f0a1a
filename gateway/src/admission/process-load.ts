import { monitorEventLoopDelay } from "node:perf_hooks";
import v8 from "node:v8";

/** How busy the process is. */
export interface Load {
  /** By how much the event loop is late, in milliseconds, on average since it was asked for last. */
  readonly eventLoopDelayMs: number;
  /** Heap in use, of what there may be. */
  readonly heapPercent: number;
}

const RESOLUTION_MS = 10;

/** A reader of the load of this process. */
export function processLoad(): () => Load {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let [ticks, sum] = [0, 0];
  return () => {
    // never reset: the first tick after that is not recorded, and a loop that
    // is late enough has no second one
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

/** By how much ticks were late on average, in milliseconds; they took `sum` nanoseconds. */
const lateness = (sum: number, ticks: number) =>
  ticks === 0 ? 0 : Math.max(0, sum / ticks / 1e6 - RESOLUTION_MS);
