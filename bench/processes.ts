import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";
import type { Target } from "./load/connection.ts";
import type { Burst, Job, JobResult } from "./load/generator.ts";
import type { Ports, Ready, ServerMessage } from "./servers/child.ts";

/** A child process that responds to messages one at a time. */
class Child {
  private readonly process: ChildProcess;
  private readonly name: string;

  constructor(module: string, args: readonly string[] = [], folder = import.meta.dirname) {
    this.name = module;
    this.process = fork(path.join(folder, module), args, { serialization: "advanced" });
  }

  /** Receives the next message. Rejects if the process exits first. */
  receive<T>(): Promise<T> {
    return new Promise((resolve, reject) => {
      const done = () => this.process.off("message", onMessage).off("exit", onExit);
      const onMessage = (message: unknown) => {
        done();
        resolve(message as T);
      };
      const onExit = (code: number | null) => {
        done();
        reject(new Error(`${this.name} exited with status ${code}; its own message is above`));
      };
      this.process.once("message", onMessage).once("exit", onExit);
    });
  }

  async ask<T>(message: object): Promise<T> {
    const response = this.receive<T>();
    this.process.send(message);
    return await response;
  }

  /** Stops the process. Resolves after the process has exited. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.disconnect();
    await exit;
  }
}

/** A measured process. */
export interface Server {
  /** The address of the server's metrics; undefined without metrics. */
  readonly metrics: string | undefined;
  /** Returns the port for a protocol. */
  port(protocol: Target["protocol"]): number;
  /** Returns the accumulated processor time of all threads, in microseconds. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

/** A server in a separate Node.js process. */
export class ServerProcess implements Server {
  readonly ports: Ports;
  readonly metrics: string | undefined;
  private readonly child: Child;

  private constructor(child: Child, { ports, metrics }: Ready) {
    this.child = child;
    this.ports = ports;
    this.metrics = metrics;
  }

  /** Starts `servers/<name>.ts`, by default of this checkout, and waits until it listens. */
  static async start(name: string, args: readonly string[] = [], folder?: string): Promise<ServerProcess> {
    const child = new Child(`servers/${name}.ts`, args, folder);
    const message = await child.receive<ServerMessage>();
    if (message.type !== "ready") throw new Error(`expected ${name} to be ready, got ${message.type}`);
    return new ServerProcess(child, message);
  }

  port(protocol: Target["protocol"]): number {
    const port = this.ports[protocol];
    if (port === undefined) throw new Error(`expected a server with a port for ${protocol}, got none`);
    return port;
  }

  async cpu(): Promise<number> {
    const message = await this.child.ask<ServerMessage>({ type: "cpu" });
    return message.type === "cpu" ? message.microseconds : Number.NaN;
  }

  /** Asks a server-specific question. */
  ask<T>(question: string): Promise<T> {
    return this.child.ask<T>({ type: question });
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}

/** The load generator in a separate process. */
export class LoadProcess {
  private readonly child = new Child("load/generator.ts");

  static async start(): Promise<LoadProcess> {
    const load = new LoadProcess();
    await load.child.receive();
    return load;
  }

  /** Makes one call and returns the body of its response. */
  async probe(target: Target): Promise<Uint8Array> {
    const result = await this.do({ kind: "probe", target });
    if ("body" in result) return result.body;
    throw new Error("expected a body from the load generator, got another result");
  }

  /** Makes a burst of calls. */
  async burst(job: Omit<Job & { kind: "burst" }, "kind">): Promise<Burst> {
    const result = await this.do({ kind: "burst", ...job });
    if ("burst" in result) return result.burst;
    throw new Error("expected a burst from the load generator, got another result");
  }

  /** Returns the accumulated processor time of all threads, in microseconds. */
  async cpu(): Promise<number> {
    const result = await this.do({ kind: "cpu" });
    return "cpu" in result ? result.cpu : Number.NaN;
  }

  /** Closes the connections of earlier bursts. */
  async close(): Promise<void> {
    await this.do({ kind: "close" });
  }

  stop(): Promise<void> {
    return this.child.stop();
  }

  private async do(job: Job): Promise<JobResult> {
    const result = await this.child.ask<JobResult>(job);
    if ("error" in result) throw new Error(result.error);
    return result;
  }
}
