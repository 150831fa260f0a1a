import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The folder of the repository. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

/** The output of a command. */
export interface Output {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface Running {
  /** Resolves with the first match in the output. Rejects if the command exits without a match. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Stops the command and its child processes. */
  stop(): Promise<void>;
  readonly ended: Promise<Output>;
}

/** An `npm` whose `install` links the repository's packages. */
const NPM = `#!/bin/sh
case "$1" in
  install) [ -e node_modules ] || ln -s '${ROOT}/node_modules' node_modules ;;
  *) exec '${execFileSync("which", ["npm"], { encoding: "utf8" }).trim()}' "$@" ;;
esac
`;
const bin = mkdtempSync(path.join(tmpdir(), "npm-"));
writeFileSync(path.join(bin, "npm"), NPM);
chmodSync(path.join(bin, "npm"), 0o755);
process.once("exit", () => rmSync(bin, { recursive: true }));

/**
 * Runs commands in a shell with the repository's tools on the path. `npm install` links the repository's
 * packages.
 */
export function start(commands: string, cwd: string): Running {
  const child = spawn("sh", ["-ec", commands], {
    cwd,
    detached: true,
    env: {
      ...process.env,
      PATH: [bin, path.join(ROOT, "node_modules/.bin"), process.env.PATH].join(path.delimiter),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return watch(child);
}

/** Runs commands until they exit. */
export function run(commands: string, cwd: string): Promise<Output> {
  return start(commands, cwd).ended;
}

function watch(child: ChildProcess): Running {
  const output = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<Output>((resolve, reject) => {
    child.once("error", reject).once("close", (status) => resolve({ status, ...output }));
  });
  const waitFor = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (found === null) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`expected ${pattern}, got:\n${output.stdout}${output.stderr}`)));
    });
  const stop = async () => {
    // A negative number means the process group that the shell leads.
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(-child.pid, "SIGTERM");
    }
    await ended;
  };
  return { waitFor, stop, ended };
}
