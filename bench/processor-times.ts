import { readdirSync, readFileSync } from "node:fs";

/** The processor time of a process in seconds: of its main thread, and of all threads. */
export interface ProcessorTime {
  readonly main: number;
  readonly all: number;
}

/** Returns the processor time of a process and its descendants. Undefined without /proc. */
export function processorTimes(pid: number): ReadonlyMap<number, ProcessorTime> | undefined {
  try {
    const times = new Map<number, ProcessorTime>();
    const visit = (id: number) => {
      const threads = readdirSync(`/proc/${id}/task`).map(Number);
      const each = threads.map((thread) => secondsOf(`/proc/${id}/task/${thread}/schedstat`));
      times.set(id, {
        main: each[threads.indexOf(id)] ?? 0,
        all: each.reduce((sum, seconds) => sum + seconds, 0),
      });
      for (const thread of threads) {
        const children = readFileSync(`/proc/${id}/task/${thread}/children`, "utf8");
        for (const child of children.split(" ").filter((text) => text !== "")) visit(Number(child));
      }
    };
    visit(pid);
    return times;
  } catch {
    return undefined;
  }
}

/** The first number of a schedstat is a thread's run time, in nanoseconds. */
function secondsOf(file: string): number {
  return Number(readFileSync(file, "utf8").split(" ")[0]) / 1e9;
}
