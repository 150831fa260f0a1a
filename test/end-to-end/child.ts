import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";

/** The repository's root. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The exit status of a process, or the signal that ended the process. */
export type Exit = number | NodeJS.Signals | null;

/** A process with its output. */
export interface Child {
  readonly process: ChildProcess;
  readonly exit: Promise<Exit>;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves when the output on either stream matches; rejects if the process exits first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal to the process and its child processes, as a terminal does. */
  signalAll(signal: NodeJS.Signals): void;
}

/** Starts a command in the repository's root, on free ports, as the leader of a new process group. */
export function startChild(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Child {
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, GATEWAY_PORT: "0", SANDBOX_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  const looks = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
      for (const look of looks) look();
    });
  }
  const exit = new Promise<Exit>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(texts.stdout) ?? pattern.exec(texts.stderr);
        if (match !== null) resolve(match);
      };
      looks.add(look);
      look();
      exit.then(
        () => reject(new Error(`expected ${pattern}, got:\n${texts.stdout}\n${texts.stderr}`)),
        reject,
      );
    });
  return {
    process: child,
    exit,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    printed,
    signalAll: (signal) => signalGroup(child, signal),
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has already exited.
  }
}
