import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** The command that starts a server. */
export interface StartCommand {
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The cost of a start. */
export interface Start {
  /** Milliseconds until the ready message. */
  readonly readyMs: number;
  /** The processor time of all threads until the ready message, in milliseconds. Undefined without /proc. */
  readonly cpuMs: number | undefined;
}

/** The kernel's unit of processor time in /proc, in milliseconds. */
const TICK_MS = 10;

/** Starts a process and ends it when it is ready. */
export async function startOnce(command: StartCommand): Promise<Start> {
  const startedAt = performance.now();
  const child = run(command);
  await ready(child);
  const readyMs = performance.now() - startedAt;
  // The process is stopped first, so that work after the ready message is excluded.
  child.kill("SIGSTOP");
  const cpuMs = processorTime(child.pid ?? 0);
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
  return { readyMs, cpuMs };
}

/**
 * Starts a process that exits on its own when it is ready, so that it saves its compile cache for the next
 * start.
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

/** Resolves with the ready message of a process. Rejects if the process exits first. */
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

/**
 * Returns the processor time of all threads of a process, including exited threads and the program before
 * `exec`.
 */
function processorTime(pid: number): number | undefined {
  try {
    // The program's name, in parentheses, may contain spaces.
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?!.*\) )/);
    const [user = Number.NaN, system = Number.NaN] = fields.split(" ").slice(11, 13).map(Number);
    return (user + system) * TICK_MS;
  } catch {
    return undefined;
  }
}
