import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { heapFlags } from "./world.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Enables metrics, and disables rejections because of event-loop delay. */
const OBSERVED = { metrics: { port: 0 }, limits: { eventLoopDelayMs: 60_000 } };

/** Settings of the command. */
export interface CommandSettings {
  /** Options of the upstream. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The largest heap in MB. Default: Node's. */
  readonly heapMb?: number | undefined;
  /** Whether to write a log to a pipe that nobody reads. Default: no log. */
  readonly unreadLog?: boolean;
  /** Whether to write a log to a file, and to enable metrics. Default: false. */
  readonly observed?: boolean;
  /** The maximum number of open files, on systems with `ulimit`. Default: the system's. */
  readonly files?: number;
  /** The number of worker processes. Default: 1. */
  readonly workers?: number;
  /** Other settings of the configuration's `server`. Default: none. */
  readonly server?: Readonly<Record<string, unknown>>;
  /** Further settings of the configuration. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A gateway that was started with the command line, as in production. */
export interface Command extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly port: number;
  /** Returns the log lines so far with this message, if `observed` is set. */
  readonly logged: (message: string) => readonly Readonly<Record<string, unknown>>[];
}

/** Starts `connect-rest serve`. */
export async function startCommand(
  upstream: string,
  {
    options = {},
    heapMb,
    unreadLog = false,
    observed = false,
    workers = 1,
    files,
    server = {},
    settings = {},
  }: CommandSettings = {},
): Promise<Command> {
  const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-bench-"));
  const config = {
    adapters: [path.join(ROOT, "gen/blog/v1/post_rest.ts")],
    upstreams: { blog: { baseUrl: upstream, ...options, credentials: { apiKey: { env: "KEY" } } } },
    server: { port: 0, workers, ...(observed ? OBSERVED : {}), ...server },
    log: { level: unreadLog || observed ? "info" : "silent" },
    ...settings,
  };
  const file = path.join(directory, "connect-rest.yaml");
  // YAML parsers accept JSON.
  writeFileSync(file, JSON.stringify(config));
  const logFile = openSync(path.join(directory, "log"), "w");
  const bin = path.join(ROOT, "gateway/src/bin.ts");
  const command = [process.execPath, ...heapFlags(heapMb), bin, "serve", "--config", file];
  const [program = "", ...args] =
    files === undefined ? command : ["sh", "-c", `ulimit -n ${files} && exec "$@"`, "sh", ...command];
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", unreadLog ? "pipe" : observed ? logFile : "inherit"],
    env: { ...process.env, KEY: "bench" },
  });
  child.once("exit", () => rmSync(directory, { recursive: true }));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exit;
  };
  const logged = (message: string) => linesOf(path.join(directory, "log"), message);
  return { process: child, port: await readyPort(child), logged, [Symbol.asyncDispose]: stop };
}

/** Returns a process's resident memory, in bytes. */
export function residentOf({ process: { pid } }: Pick<Command, "process">): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
  } catch {
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) * 1024;
  }
}

/** Waits until a figure is at most `bound`, for up to `ms` milliseconds. Returns the last figure. */
export async function settledAt(figure: () => number, bound: number, ms: number): Promise<number> {
  const end = performance.now() + ms;
  for (;;) {
    const now = figure();
    if (now <= bound || performance.now() >= end) return now;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function linesOf(log: string, message: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = readFileSync(log, "utf8").split("\n");
  return lines.filter((line) => line.includes(`"msg":"${message}"`)).map((line) => JSON.parse(line));
}

/** Reads standard output only until the gateway is ready. */
async function readyPort(child: ChildProcess): Promise<number> {
  let text = "";
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    text += String(chunk);
    const port = /^gateway ready on http:.*:(\d+)$/m.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`the gateway did not become ready: ${text}`);
}
