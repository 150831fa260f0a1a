import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** A process that serves, as it is started. */
export interface StartCommand {
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** What a start took. */
export interface Start {
  /** Until the line that says that it is ready, in milliseconds. */
  readonly readyMs: number;
  /** Processor time of all its threads until then, in milliseconds. Undefined where there is no /proc. */
  readonly cpuMs: number | undefined;
}

/** The kernel's unit of processor time in /proc, in milliseconds. */
const TICK_MS = 10;

/** Starts a process, and ends it as soon as it is ready. */
export async function startOnce(command: StartCommand): Promise<Start> {
  const startedAt = performance.now();
  const child = run(command);
  await ready(child);
  const readyMs = performance.now() - startedAt;
  // what it does once it is ready does not count
  child.kill("SIGSTOP");
  const cpuMs = processorTime(child.pid ?? 0);
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
  return { readyMs, cpuMs };
}

/**
 * Starts a process, and lets it end by itself once it is ready: it keeps what it
 * has compiled for the next start.
 */
export async function startToCompile(command: StartCommand): Promise<void> {
  const child = run(command);
  await ready(child);
  const exit = once(child, "exit");
  child.kill("SIGINT");
  await exit;
}

function run({ folder, args, env }: StartCommand): ChildProcess {
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** Resolves with the line that says that a process is ready; rejects when it ends before. */
async function ready(child: ChildProcess): Promise<void> {
  let errors = "";
  child.stderr?.on("data", (data) => {
    errors += data;
  });
  await new Promise<void>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (data) => {
      text += data;
      if (/ ready on .*\n/.test(text)) resolve();
    });
    child.once("error", reject);
    child.once("exit", (status) => reject(new Error(`start: exited with status ${status}: ${errors}`)));
  });
}

/** Of all threads of a process, those that have ended and those of a program it was before included. */
function processorTime(pid: number): number | undefined {
  try {
    // the name of the program, in parentheses, may have spaces
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?!.*\) )/);
    const [user = Number.NaN, system = Number.NaN] = fields.split(" ").slice(11, 13).map(Number);
    return (user + system) * TICK_MS;
  } catch {
    return undefined;
  }
}
