import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import path from "node:path";
import tls from "node:tls";
import type { LimitOptions } from "../limits.ts";

/** The memory of a server process, in bytes, and the number of its open sockets. */
export interface HostileStatus {
  readonly sockets: number;
  readonly rss: number;
  readonly heap: number;
}

/** A separate server process that crashes on any uncaught error. */
export interface HostileProcess {
  readonly port: number;
  readonly tlsPort: number;
  /** Returns the exit status, or the signal that ended the process; undefined while the process runs. */
  exited(): unknown;
  /** Returns the standard error of the process. */
  stderr(): string;
  status(): Promise<HostileStatus>;
  /** Sends a signal to the process. */
  signal(name: NodeJS.Signals): void;
  stop(): void;
}

/** Starts `hostile-server.ts`. */
export async function startHostileProcess(
  limits: LimitOptions = {},
  execArgv: readonly string[] = [],
): Promise<HostileProcess> {
  const child: ChildProcess = fork(path.resolve(import.meta.dirname, "hostile-server.ts"), [], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    execArgv: ["--unhandled-rejections=strict", ...execArgv],
    env: { ...process.env, HOSTILE_LIMITS: JSON.stringify(limits) },
  });
  let exited: unknown;
  let stderr = "";
  child.once("exit", (code, signal) => {
    exited = code ?? signal;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [ready] = await once(child, "message");
  return {
    port: ready.port,
    tlsPort: ready.tlsPort,
    exited: () => exited,
    stderr: () => stderr,
    status: async () => {
      const answer = once(child, "message");
      child.send("status");
      const [message] = await answer;
      return message;
    },
    signal: (name) => void child.kill(name),
    stop: () => void child.kill("SIGKILL"),
  };
}

/** Sends bytes on a new connection, and returns the bytes received until the connection is closed. */
export function sendBytes(
  port: number,
  secure: false | "h2" | "http/1.1",
  parts: readonly Uint8Array[],
): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const write = () => {
      for (const part of parts) socket.write(part);
    };
    const socket =
      secure === false
        ? net.connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true }, write)
        : tls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: [secure] }, write);
    socket.setNoDelay(true);
    socket.setEncoding("latin1").on("data", (text: string) => {
      received += text;
    });
    socket.on("end", () => socket.end());
    socket.on("error", () => undefined).on("close", () => resolve(received));
  });
}
