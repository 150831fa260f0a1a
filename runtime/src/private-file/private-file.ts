import { constants, type Stats } from "node:fs";
import { lstat, mkdir, open, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { type Clock, systemClock } from "connect-rest-codec/internal";
import { restError } from "../errors/rest-error.ts";

/** The maximum size of a file with secrets, in bytes. */
export const MAX_PRIVATE_BYTES = 1024 * 1024;

/**
 * Whether files have a mode. Files on Windows have no mode; the permissions of the user's folder protect
 * them.
 */
const HAS_MODES = process.platform !== "win32";

// these constants are absent on Windows
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Reads a file with secrets, or returns undefined if it does not exist. Rejects files that others can read or
 * replace: the file must be a regular file of this user (or root) that nobody else may read or write, not a
 * symbolic link, and its folder must not be world-writable.
 *
 * @throws ConnectError reason TOKEN_FILE_REFUSED
 */
export async function readPrivateFile(file: string): Promise<string | undefined> {
  await checkFolder(file);
  // without O_NONBLOCK, opening a named pipe would block
  const handle = await open(file, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw rejected(file, openProblem(error), error);
  });
  if (handle === undefined) return undefined;
  try {
    const problem = problemOf(await handle.stat());
    if (problem !== undefined) throw rejected(file, problem);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/**
 * Writes a file with secrets with mode 0600. The write is atomic: concurrent readers never see a partial
 * file, even if the process ends during the write. Creates missing folders, for this user only.
 *
 * @throws ConnectError reason TOKEN_FILE_REFUSED
 */
export async function writePrivateFile(
  file: string,
  text: string,
  clock: Pick<Clock, "randomHex"> = systemClock,
): Promise<void> {
  const temporary = `${file}.${clock.randomHex(8)}.tmp`;
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    await checkFolder(file);
    await checkTarget(file);
    await writeNew(temporary, text);
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    if (codeOf(error) === undefined) throw error;
    throw rejected(file, `cannot be written: ${codeOf(error)}`, error);
  }
}

async function writeNew(file: string, text: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;
  const handle = await open(file, flags, 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Rejects a symbolic link. A rename would replace the link instead of its target, which the creator of the
 * link did not intend.
 */
async function checkTarget(file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined);
  if (found?.isSymbolicLink()) throw rejected(file, "it is a symbolic link");
  if (found !== undefined && !found.isFile()) throw rejected(file, "it is not a regular file");
}

async function checkFolder(file: string): Promise<void> {
  if (!HAS_MODES) return;
  const folder = path.dirname(file);
  const found = await stat(folder).catch(() => undefined);
  // in a folder with the sticky bit, such as /tmp, users cannot replace other users' files
  if (found === undefined || (found.mode & 0o002) === 0 || (found.mode & 0o1000) !== 0) return;
  throw rejected(file, `everybody may replace it, since ${folder} is writable by all`);
}

function problemOf(found: Stats): string | undefined {
  if (!found.isFile()) return "it is not a regular file";
  if (found.size > MAX_PRIVATE_BYTES) return `it is larger than ${MAX_PRIVATE_BYTES} bytes`;
  if (!HAS_MODES) return undefined;
  const user = process.getuid?.();
  if (user !== undefined && found.uid !== user && found.uid !== 0) return "it belongs to another user";
  const mode = found.mode & 0o777;
  return (mode & 0o077) === 0
    ? undefined
    : `others may read or write it (mode 0${mode.toString(8)}); expected 0600`;
}

function openProblem(error: unknown): string {
  const code = codeOf(error);
  return code === "ELOOP" ? "it is a symbolic link" : `it cannot be read: ${code ?? String(error)}`;
}

function rejected(file: string, problem: string, cause?: unknown) {
  return restError("TOKEN_FILE_REFUSED", { file, problem }, { cause });
}

/** Returns the `code` of a file system error. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
