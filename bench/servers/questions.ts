/** What a server under test is asked by its parent. */
export type Question = "memory" | "heap" | "cpu";

/** The memory of a process, in bytes. */
export interface Memory {
  /** Resident now. */
  readonly resident: number;
  /** The most that was resident at any time. */
  readonly peak: number;
}

const ANSWERS: Readonly<Record<Question, () => unknown>> = { memory, heap, cpu };

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
