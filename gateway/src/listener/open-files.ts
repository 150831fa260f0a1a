import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** Connections of clients get this part of the files; the rest is for upstreams, the store, and the process itself. */
const PART = 3 / 4;

/** How many files the process may have open, sockets included; undefined where the system does not say: only Linux does. */
export function maxOpenFiles(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * Whether a new connection leaves too few files for all else. Systems give the lowest number that is free, so that the number
 * of the newest file tells how many are open. A process that gets no more files reaches no upstream, and a worker loses the
 * connections that it is handed.
 */
export function leavesTooFew(socket: Socket, openFiles: number | undefined): boolean {
  if (openFiles === undefined) return false;
  // not public; without it nothing is known
  const handle: unknown = Reflect.get(socket, "_handle");
  const file: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  return typeof file === "number" && file >= openFiles * PART;
}
