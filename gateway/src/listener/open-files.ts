import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import type { Limits } from "../limits.ts";

/**
 * Connections of clients get this part of the files; the rest is for upstreams, the store,
 * and the process itself.
 */
const PART = 3 / 4;

/**
 * All clients together may have so many of the files, so that there is room for
 * those of another one below `PART`.
 */
const CONNECTIONS_PART = 5 / 8;

/** One client may have so many of these connections when they are few. */
const CLIENT_PART = 1 / 2;

/** Connections that there may be, and those of one client while half of them are open. */
export interface MaxConnections {
  readonly all: number;
  readonly perClient: number;
}

/** The connections that the limits allow, and the files that the process may have open. */
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
 * How many files the process may have open, sockets included; undefined where the system does not say:
 * only Linux does.
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
 * Whether a new connection leaves too few files for all else. Systems give the lowest number that is free, so
 * that the number of the newest file tells how many are open. A process that gets no more files reaches no
 * upstream, and a worker loses the connections that it is handed.
 */
export function leavesTooFew(socket: Socket, openFiles: number | undefined): boolean {
  if (openFiles === undefined) return false;
  // not public; without it nothing is known
  const handle: unknown = Reflect.get(socket, "_handle");
  const file: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  return typeof file === "number" && file >= openFiles * PART;
}
