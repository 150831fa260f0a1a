import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type ReadyMessage, readyMessageSchema } from "./ready-message.ts";

/**
 * The maximum time until a sandbox is ready, in milliseconds. On slow machines, a sandbox takes long to load.
 */
const READY_TIMEOUT_MS = 120_000;

/** The delay before `onSlow` is called, in milliseconds. */
const NOTICE_MS = 10_000;

/** The maximum time until a disconnected sandbox exits, in milliseconds. */
const EXIT_TIMEOUT_MS = 5000;

export interface SandboxOptions {
  /** The file URL of the module to run. */
  readonly module: string;
  /** The value of `SANDBOX_PORT`; 0 picks a free port. */
  readonly port: number;
  /**
   * The sandbox's command line: `--public-url=URL`, `--tls`, `--tls-cert=FILE`, `--tls-key=FILE`,
   * `--events=NUMBER`. Default: none.
   */
  readonly args?: readonly string[];
  /** Whether the sandbox's standard output is discarded. Default: false. */
  readonly isSilent?: boolean;
  /** Default: 120 s. */
  readonly readyTimeoutMs?: number;
  /** Called if the start takes longer than usual. */
  readonly onSlow?: () => void;
}

/** A process that replaces upstreams. */
export interface Sandbox {
  readonly url: string;
  readonly upstreams: ReadyMessage["upstreams"];
  /** Resolves to a message if the sandbox exits on its own. */
  readonly exited: Promise<string>;
  /** Disconnects the sandbox, and resolves when it has exited. */
  stop(): Promise<void>;
}

/**
 * Starts a sandbox and waits until it listens. The sandbox prints its own ready line on the gateway's
 * standard output. It ignores signals and runs until it is disconnected, so that calls in flight can reach
 * their upstream during a shutdown.
 *
 * @throws Error if the sandbox exits before it is ready, is not ready in time, or sends an unexpected message
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const file = fileURLToPath(options.module);
  const child = fork(file, options.args ?? [], {
    env: { ...process.env, SANDBOX_PORT: String(options.port) },
    stdio: ["ignore", options.isSilent === true ? "ignore" : "inherit", "inherit", "ipc"],
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
