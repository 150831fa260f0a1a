import { constants } from "node:fs";
import { link, mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { type Clock, fraction } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";
import { sleep } from "../time/abort.ts";
import { codeOf } from "./private-file.ts";

/**
 * The maximum time for which a process may hold a lock, in milliseconds. A process that holds a lock longer
 * counts as dead.
 */
export const LEASE_MS = 60_000;

/**
 * The maximum time to wait for a lock, in milliseconds. The lock of a dead process expires within this time.
 */
export const MAX_WAIT_MS = 90_000;

const POLL_MS = 40;

/** The content of a lock file, which names the process that holds the lock. */
interface Holder {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
}

/**
 * Runs work that only one process may do at a time on a file, using a lock file in the same folder. Takes
 * over a lock whose process has ended, or that is older than a minute.
 *
 * @param work receives a function that reports whether the lock is still held; `work` must call it before
 *   each critical write
 * @throws ConnectError reason TOKEN_FILE_LOCKED
 */
export async function withFileLock<T>(
  file: string,
  clock: Clock,
  work: (isHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const lock = `${file}.lock`;
  const id = clock.randomHex(16);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 }).catch(() => undefined);
  await acquire(file, lock, id, clock);
  try {
    return await work(async () => (await holderOf(lock))?.id === id);
  } finally {
    if ((await holderOf(lock))?.id === id) await unlink(lock).catch(() => undefined);
  }
}

async function acquire(file: string, lock: string, id: string, clock: Clock): Promise<void> {
  const until = clock.monotonic() + MAX_WAIT_MS;
  while (!(await created(file, lock, id))) {
    if (await isAbandoned(lock, clock)) {
      await takeAway(lock, id, clock);
    } else if (clock.monotonic() >= until) {
      throw restError("TOKEN_FILE_LOCKED", { file, limit: `${MAX_WAIT_MS / 1000} s` });
    } else {
      await sleep(POLL_MS * (0.5 + fraction(clock)), clock, NEVER);
    }
  }
}

const NEVER = new AbortController().signal;

async function created(file: string, lock: string, id: string): Promise<boolean> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  try {
    const handle = await open(lock, O_WRONLY | O_CREAT | O_EXCL, 0o600);
    const holder: Holder = { id, pid: process.pid, host: hostname() };
    await handle.writeFile(JSON.stringify(holder)).finally(() => handle.close());
    return true;
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false;
    const problem = `the lock beside it cannot be made: ${codeOf(cause) ?? String(cause)}`;
    throw restError("TOKEN_FILE_REFUSED", { file, problem }, { cause });
  }
}

async function isAbandoned(lock: string, clock: Clock): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  if (found === undefined) return false;
  if (clock.now() - found.mtimeMs > LEASE_MS) return true;
  const holder = await holderOf(lock);
  return holder !== undefined && holder.host === hostname() && !isRunning(holder.pid);
}

/**
 * Removes an abandoned lock. If several processes do this at the same time, one of them may remove a new
 * lock. That process then puts the new lock back, unless there is an even newer lock. The process whose lock
 * was removed notices the removal itself (`isHeld`).
 */
async function takeAway(lock: string, id: string, clock: Clock): Promise<void> {
  const aside = `${lock}.${id}`;
  try {
    await rename(lock, aside);
  } catch {
    // another process has already removed the lock
    return;
  }
  // unlike a rename, a link does not replace an existing file
  if (!(await isAbandoned(aside, clock))) await link(aside, lock).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
}

async function holderOf(lock: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(lock, "utf8"));
    return isHolder(value) ? value : undefined;
  } catch {
    // the lock was removed, or has not been written yet
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  return (
    typeof value === "object" &&
    value !== null &&
    "id" in value &&
    typeof value.id === "string" &&
    "pid" in value &&
    typeof value.pid === "number" &&
    "host" in value &&
    typeof value.host === "string"
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user
    return codeOf(error) !== "ESRCH";
  }
}
