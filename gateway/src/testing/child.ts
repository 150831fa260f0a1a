import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";

const bin = path.resolve(import.meta.dirname, "../bin.ts");

/** A run of the command line. */
export interface Run {
  readonly process: ChildProcess;
  /**
   * Resolves to the first line of standard output that matches; rejects if the output ends without such a
   * line.
   */
  line(pattern: RegExp): Promise<string>;
  /** Returns everything written to standard output and standard error so far. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Resolves to the exit status, or to the signal that ended the process. */
  readonly exit: Promise<number | NodeJS.Signals | null>;
}

/** Starts `connect-rest` in a directory. Picks free ports unless the environment sets them. */
export function runCli(args: readonly string[], cwd: string, env: Record<string, string> = {}): Run {
  return run([bin, ...args], cwd, { GATEWAY_PORT: "0", SANDBOX_PORT: "0", ...env });
}

/** Starts a Node process in a directory. */
export function run(args: readonly string[], cwd: string, env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const listener of listeners) listener();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = stdout.split("\n").find((each) => pattern.test(each));
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
      void exit.then(() => reject(new Error(`no line ${pattern} in:\n${stdout}\n${stderr}`)));
    });
  return { process: child, line, output: () => ({ stdout, stderr }), exit };
}
