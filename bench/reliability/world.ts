import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import { MEMORY_ENVIRONMENT } from "../../gateway/src/cli/memory-environment.ts";
import type { Served } from "../attacks/attack.ts";
import { listenLocally } from "../servers/child.ts";
import type { Memory, Question } from "../servers/questions.ts";
import type { Settings } from "./settings.ts";

/** A server under test, in a separate process. */
export class Subject implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly port: number;

  private constructor(process: ChildProcess, port: number) {
    this.process = process;
    this.port = port;
  }

  /** Starts `servers/<name>.ts` and waits until it listens. */
  static start(name: "reliable-gateway" | "bare", settings: Settings): Promise<Subject> {
    return Subject.fork(name, [JSON.stringify(settings)], settings.heapMb);
  }

  /** Starts `servers/attacked-gateway.ts`. */
  static startAttacked(upstream: string, serves: Served): Promise<Subject> {
    return Subject.fork("attacked-gateway", [upstream, serves]);
  }

  private static async fork(name: string, args: readonly string[], heapMb?: number): Promise<Subject> {
    const module = path.join(import.meta.dirname, `../servers/${name}.ts`);
    // connect-node logs every aborted call.
    const stderr = name === "bare" ? "ignore" : "inherit";
    const execArgv = ["--expose-gc", ...heapFlags(heapMb)];
    // `connect-rest serve` restarts itself with these variables, unless it has an IPC channel.
    const env = { ...process.env, ...MEMORY_ENVIRONMENT };
    const child = fork(module, args, { execArgv, env, stdio: ["ignore", "inherit", stderr, "ipc"] });
    return new Subject(child, await next<number>(child));
  }

  memory(): Promise<Memory> {
    return this.ask<Memory>("memory");
  }

  /** Returns the heap in use after a collection, in bytes. */
  heap(): Promise<number> {
    return this.ask<number>("heap");
  }

  /** Returns the accumulated processor time, in milliseconds. */
  cpuMs(): Promise<number> {
    return this.ask<number>("cpu");
  }

  /** Returns the longest event-loop turn since the last call, in milliseconds of processor time. */
  longestTurn(): Promise<number> {
    return this.ask<number>("turn");
  }

  private async ask<T>(question: Question): Promise<T> {
    const response = next<T>(this.process);
    this.process.send(question);
    return await response;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, "exit");
    this.process.kill("SIGKILL");
    await exit;
  }
}

/** Heap sizes for attacks, in MB: Node's default, and a small machine's. */
export const HEAPS = [undefined, 512] as const;

/** Returns the Node flags for a heap size. */
export function heapFlags(heapMb: number | undefined): string[] {
  return heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`];
}

/** Adds the heap size to the name of a figure. */
export function withHeap(name: string, heapMb: number | undefined): string {
  return heapMb === undefined ? name : `${name}, heap of ${heapMb} MB`;
}

/** Receives the next message of a process. Rejects if the process exits first. */
export function next<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a server exited with status ${code}`));
    child.once("exit", onExit).once("message", (message) => {
      child.off("exit", onExit);
      resolve(message as T);
    });
  });
}

/** An upstream in this process. */
export interface Upstream extends AsyncDisposable {
  readonly url: string;
  /** The number of requests so far. */
  readonly requests: () => number;
}

export async function startUpstream(handler: http.RequestListener): Promise<Upstream> {
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests++;
    request.resume();
    handler(request, response);
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}`,
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A process of the benchmark that has sent its first message. */
export interface Started<T> extends Disposable {
  readonly process: ChildProcess;
  readonly first: T;
}

/** Starts `servers/<name>.ts` and waits for its first message. */
export async function startProcess<T>(name: string, args: readonly string[]): Promise<Started<T>> {
  const child = fork(path.join(import.meta.dirname, `../servers/${name}.ts`), args);
  const first = await next<T>(child);
  return {
    process: child,
    first,
    [Symbol.dispose]: () => {
      child.removeAllListeners("exit").kill("SIGKILL");
    },
  };
}

/** Starts an upstream in a separate process, `servers/<name>.ts`. */
export async function forkUpstream(
  name: "large-upstream" | "attacked-upstream",
  args: readonly string[] = [],
): Promise<Pick<Upstream, "url"> & Disposable> {
  const upstream = await startProcess<number>(name, args);
  return {
    url: `http://127.0.0.1:${upstream.first}`,
    [Symbol.dispose]: () => upstream[Symbol.dispose](),
  };
}

/** Responds with JSON. */
export function sendJson(response: http.ServerResponse, status: number, json: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(json);
}
