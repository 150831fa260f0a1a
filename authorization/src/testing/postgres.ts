import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A PostgreSQL server for a test, on a socket in a separate folder. */
export interface TestPostgres {
  readonly url: string;
  /** Stops the server immediately, as in a crash. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

const DEBIAN = "/usr/lib/postgresql";

/**
 * The folder of the PostgreSQL programs; undefined if they are not installed. Debian does not put them on the
 * PATH.
 */
export const POSTGRES_PROGRAMS: string | undefined = programs();

function programs(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => `${DEBIAN}/${version}/bin`),
    ...(process.env.PATH ?? "").split(":"),
  ];
  return folders.find((folder) => existsSync(path.join(folder, "initdb")));
}

/**
 * Returns the user as which PostgreSQL runs if this process runs as root: PostgreSQL does not run as root.
 */
function user(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const account =
    accounts.find(([name]) => name === "postgres") ?? accounts.find(([name]) => name === "nobody");
  return { uid: Number(account?.[2]), gid: Number(account?.[3]) };
}

/** Starts a server with an empty database. */
export async function startPostgres(): Promise<TestPostgres> {
  if (POSTGRES_PROGRAMS === undefined) throw new Error("PostgreSQL is not installed");
  const bin = POSTGRES_PROGRAMS;
  const folder = mkdtempSync(path.join(tmpdir(), "connect-rest-pg-"));
  const as = user();
  if (as !== undefined) chownSync(folder, as.uid, as.gid);
  const data = path.join(folder, "data");
  const options = { ...as, cwd: folder, env: { PATH: bin, LC_ALL: "C" } };
  const settings = ["--auth=trust", "--username=test", "--no-sync", "--encoding=UTF8"];
  execFileSync(path.join(bin, "initdb"), ["-D", data, ...settings], { ...options, stdio: "pipe" });
  let server: ChildProcess | undefined;
  const url = `postgresql://test@localhost/postgres?host=${encodeURIComponent(folder)}`;
  const start = async () => {
    const args = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
    const started = spawn(path.join(bin, "postgres"), args, { ...options, stdio: "ignore" });
    server = started;
    while (!isReady(bin, folder)) {
      if (started.exitCode !== null) throw new Error(`PostgreSQL ended with ${started.exitCode}`);
      await sleep(20);
    }
  };
  const stop = async () => {
    const running = server;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    // SIGQUIT causes an immediate shutdown
    running.kill("SIGQUIT");
    await ended;
  };
  await start();
  return {
    url,
    start,
    stop,
    remove: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isReady(bin: string, folder: string): boolean {
  try {
    execFileSync(path.join(bin, "pg_isready"), ["-h", folder, "-q"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
