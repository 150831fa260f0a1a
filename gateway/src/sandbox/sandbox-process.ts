import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ReadyMessage, readyMessageSchema } from "./ready-message.ts";

/** How long a sandbox may take to start, in milliseconds: a slow machine takes long to load it first. */
const READY_TIMEOUT_MS = 120_000;

/** After how many milliseconds it is said that it is waited for. */
const NOTICE_MS = 10_000;

/** How long it may take to exit after it was disconnected, in milliseconds. */
const EXIT_TIMEOUT_MS = 5000;

export interface SandboxOptions {
  /** File address of the module to run. */
  readonly module: string;
  /** Passed on as `SANDBOX_PORT`; 0 lets it pick a free one. */
  readonly port: number;
  /**
   * Its command line: `--public-url=URL`, `--tls`, `--tls-cert=FILE`, `--tls-key=FILE`, `--events=NUMBER`.
   * Default: none.
   */
  readonly args?: readonly string[];
  /** Default: 120 s. */
  readonly readyTimeoutMs?: number;
  /** Is called when it takes longer than usual. */
  readonly onSlow?: () => void;
}

/** A stand-in for upstreams, in a process of its own. */
export interface Sandbox {
  readonly url: string;
  readonly upstreams: ReadyMessage["upstreams"];
  /** Resolves with a text when it exits by itself. */
  readonly exited: Promise<string>;
  /** Disconnects, upon which it exits; resolves when it has. */
  stop(): Promise<void>;
}

/**
 * Starts a sandbox and waits until it listens. It prints its own ready line on our standard output, and
 * ignores signals: it lives until it is disconnected, so that calls in flight find their upstream to the end.
 *
 * @throws Error when it exits before it is ready, is not ready in time, or says something else
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const file = fileURLToPath(options.module);
  const child = fork(file, options.args ?? [], {
    env: { ...process.env, SANDBOX_PORT: String(options.port) },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const exit = exitOf(child);
  const notice = setTimeout(() => options.onSlow?.(), NOTICE_MS);
  try {
    const timeoutMs = options.readyTimeoutMs ?? READY_TIMEOUT_MS;
    const { url, upstreams } = await readyMessage(child, exit, file, timeoutMs);
    return {
      url,
      upstreams,
      exited: exit.then((how) => `the sandbox ${how}`),
      stop: () => stop(child, exit),
    };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(notice);
  }
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(`could not be started: ${error.message}`));
    child.once("exit", (code, signal) => {
      resolve(signal === null ? `exited with status ${code}` : `was ended by ${signal}`);
    });
  });
}

function readyMessage(
  child: ChildProcess,
  exit: Promise<string>,
  file: string,
  timeoutMs: number,
): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new Error(`the sandbox ${file} ${what}`));
    const timer = setTimeout(() => fail(`was not ready within ${timeoutMs} ms`), timeoutMs);
    void exit.then((how) => {
      clearTimeout(timer);
      fail(`${how} before it was ready; its own message is above`);
    });
    child.once("message", (message) => {
      clearTimeout(timer);
      const result = readyMessageSchema.safeParse(message);
      if (result.data === undefined) {
        fail(`sent something else than its ready message: ${result.error?.message}`);
      } else {
        resolve(result.data);
      }
    });
  });
}

async function stop(child: ChildProcess, exit: Promise<string>): Promise<void> {
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill("SIGKILL"), EXIT_TIMEOUT_MS);
  await exit;
  clearTimeout(timer);
}
