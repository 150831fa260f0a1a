import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { Limits } from "../limits.ts";

/**
 * The fraction of the file descriptors that client connections may use. The other descriptors are for
 * upstreams, the store, and the process itself.
 */
const PART = 3 / 4;

/**
 * The fraction of the file descriptors for which connections are admitted. It is below `PART`, which leaves
 * room for another client.
 */
const CONNECTIONS_PART = 5 / 8;

/** The fraction of the connections that a single client may have if file descriptors limit their number. */
const CLIENT_PART = 1 / 2;

/** The maximum number of connections: in total, and for each client once half of the total is open. */
export interface MaxConnections {
  readonly all: number;
  readonly perClient: number;
}

/**
 * Returns the maximum numbers of connections that both the limits and the file descriptors of the process
 * allow.
 */
export function maxConnections(
  { connections, connectionsPerClient }: Pick<Limits, "connections" | "connectionsPerClient">,
  openFiles: number | undefined,
): MaxConnections {
  if (openFiles === undefined) return { all: connections, perClient: connectionsPerClient };
  const all = Math.max(1, Math.min(connections, Math.floor(openFiles * CONNECTIONS_PART)));
  const isFew = all < connections;
  const perClient = isFew ? Math.ceil(all * CLIENT_PART) : connectionsPerClient;
  return { all, perClient: Math.min(connectionsPerClient, perClient) };
}

/**
 * Returns the maximum number of open files of the process, including sockets; undefined on systems other than
 * Linux, which do not report it.
 */
export function maxOpenFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a new connection leaves too few file descriptors for other uses. Systems assign the lowest
 * free number, so the number of the newest file approximates the count of open files. Without free file
 * descriptors, a process cannot reach upstreams, and a worker loses the connections handed to it.
 */
export function leavesTooFew(socket: Socket, openFiles: number | undefined): boolean {
  if (openFiles === undefined) return false;
  // not a public property; if it is missing, the count is unknown
  const handle: unknown = Reflect.get(socket, "_handle");
  const file: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  return typeof file === "number" && file >= openFiles * PART;
}
