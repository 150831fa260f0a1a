/** What a server under test is asked by its parent. */
export type Question = "memory" | "heap" | "cpu" | "turn";

/** The memory of a process, in bytes. */
export interface Memory {
  /** Resident now. */
  readonly resident: number;
  /** The most that was resident at any time. */
  readonly peak: number;
}

const ANSWERS: Readonly<Record<Question, () => unknown>> = { memory, heap, cpu, turn };

/** Tells the parent the port, answers its questions, and exits when it is gone. */
export function answerParent(port: number): void {
  process.on("message", (question: Question) => {
    process.send?.(ANSWERS[question]());
  });
  process.on("disconnect", () => process.exit());
  process.send?.(port);
}

/** The heap in use after a collection, in bytes; the process needs --expose-gc. */
function heap(): number {
  for (let times = 0; times < 3; times++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

function memory(): Memory {
  return { resident: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1024 };
}

/** The processor time of all threads so far, in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** How often turns of the event loop are told apart, in milliseconds: what it adds to a turn at most. */
const PROBE_MS = 2;

let longestTurnMs: number | undefined;

/**
 * The longest turn of the event loop since the last question, in milliseconds of processor time of the main
 * thread, which other processes do not add to. The first question begins it.
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
