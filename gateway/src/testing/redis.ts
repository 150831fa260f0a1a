import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The reason to skip tests that need Redis; undefined if Redis is installed. */
export const NO_REDIS: string | undefined =
  spawnSync("redis-server", ["--version"]).status === 0 ? undefined : "redis-server is not installed";

/** A Redis server for tests. */
export interface TestRedis {
  readonly port: number;
  /** Stops the server. Its data is lost. */
  stop(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
  /** Stops the server and removes its files. */
  close(): Promise<void>;
}

/** Starts a Redis server on a free port, with additional command-line options. */
export async function startRedis(options: readonly string[] = [], isTls = false): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), "connect-rest-redis-"));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    const listen = isTls ? ["--port", "0", "--tls-port", String(port)] : ["--port", String(port)];
    const args = [...listen, "--bind", "127.0.0.1", "--dir", folder, "--save", "", ...options];
    child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
    await readiness(child);
  };
  const stop = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  await start();
  return {
    port,
    start,
    stop,
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function readiness(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error("redis-server has no output");
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (!line.includes("Ready to accept connections")) continue;
    child.stdout.resume();
    return;
  }
  throw new Error(`redis-server ended: ${said.join("\n")}`);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A TCP proxy to a server on this machine; its connections can be cut. */
export interface Cable {
  readonly port: number;
  /** Closes all connections, and rejects new ones. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Starts a TCP proxy to a port. */
export async function layCable(to: number): Promise<Cable> {
  const sockets = new Set<net.Socket>();
  let isCut = false;
  const server = net.createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const other = net.connect(to, "127.0.0.1");
    for (const [each, peer] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(each);
      each
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(each);
          peer.destroy();
        });
      each.pipe(peer);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.destroy();
    },
    mend: () => {
      isCut = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
