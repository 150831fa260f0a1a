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

/** The time between two readings, and the share of processor time in it, that show a stopped process. */
const STOPPED_MS = 1000;
const STOPPED_SHARE = 0.1;

/** Creates a reader of the load of this process. */
export function processLoad(): () => Load {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let [ticks, sum] = [0, 0];
  const wasStopped = stopDetector();
  return () => {
    // never reset: the first tick after a reset is not recorded, and a blocked loop has no second tick
    const newTicks = delays.count - ticks;
    const newSum = delays.count === 0 ? 0 : delays.mean * delays.count - sum;
    ticks += newTicks;
    sum += newSum;
    const { used_heap_size, heap_size_limit } = v8.getHeapStatistics();
    return {
      eventLoopDelayMs: wasStopped() ? 0 : lateness(newSum, newTicks),
      heapPercent: (100 * used_heap_size) / heap_size_limit,
    };
  };
}

/**
 * Creates a function that reports whether the process was stopped since the last call, e.g. by SIGSTOP: much
 * time passed, and little of it was processor time. Fewer calls would not end such a delay.
 */
function stopDetector(): () => boolean {
  let [at, used] = [performance.now(), process.cpuUsage()];
  return () => {
    const elapsed = performance.now() - at;
    const { user, system } = process.cpuUsage(used);
    [at, used] = [performance.now(), process.cpuUsage()];
    return elapsed > STOPPED_MS && (user + system) / 1000 < STOPPED_SHARE * elapsed;
  };
}

/** Returns the average delay of the ticks that together took `sum` nanoseconds, in milliseconds. */
const lateness = (sum: number, ticks: number) =>
  ticks === 0 ? 0 : Math.max(0, sum / ticks / 1e6 - RESOLUTION_MS);
