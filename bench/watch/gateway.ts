import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Usage } from "../servers/watch-gateway.ts";

/** A gateway in a separate process. */
export class WatchGateway {
  readonly port: number;
  private readonly child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.port = port;
  }

  static async start(args: readonly string[]): Promise<WatchGateway> {
    const module = path.join(import.meta.dirname, "../servers/watch-gateway.ts");
    const child = fork(module, args);
    const [port] = (await once(child, "message")) as [number];
    return new WatchGateway(child, port);
  }

  async usage(): Promise<Usage> {
    const response = once(this.child, "message");
    this.child.send("usage");
    const [usage] = (await response) as [Usage];
    return usage;
  }

  /** Kills the process, as in a crash. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }
}
