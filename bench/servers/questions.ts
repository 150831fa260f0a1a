/** A question that the parent asks a server under test. */
export type Question = "memory" | "heap" | "cpu" | "turn";

/** The memory of a process, in bytes. */
export interface Memory {
  /** The current resident memory. */
  readonly resident: number;
  /** The peak of resident memory. */
  readonly peak: number;
}

const ANSWERS: Readonly<Record<Question, () => unknown>> = { memory, heap, cpu, turn };

/** Reports the port to the parent, answers its questions, and exits with the parent. */
export function answerParent(port: number): void {
  process.on("message", (question: Question) => {
    process.send?.(ANSWERS[question]());
  });
  process.on("disconnect", () => process.exit());
  process.send?.(port);
}

/** Returns the heap in use after a garbage collection, in bytes. The process needs --expose-gc. */
function heap(): number {
  for (let times = 0; times < 3; times++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function memory(): Memory {
  return { resident: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1024 };
}

/** Returns the accumulated processor time of all threads, in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The sampling interval for event-loop turns, which is also the maximum error, in milliseconds. */
const PROBE_MS = 2;

let longestTurnMs: number | undefined;

/**
 * Returns the longest event-loop turn since the last question, in milliseconds of the main thread's processor
 * time. The first question starts the measurement.
 */
function turn(): number {
  const longest = longestTurnMs ?? 0;
  if (longestTurnMs === undefined) watchTurns();
  longestTurnMs = 0;
  return longest;
}

function watchTurns(): void {
  let last = threadMs();
  setInterval(() => {
    const now = threadMs();
    longestTurnMs = Math.max(longestTurnMs ?? 0, now - last);
    last = now;
  }, PROBE_MS).unref();
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
