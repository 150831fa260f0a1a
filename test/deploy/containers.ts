/** Runs the images and services of `deploy/` as processes of this machine, without a container engine. */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { buildTarballs } from "../packages/installation.ts";
import { ROOT, readTarget, type Target } from "./files.ts";

const SCRIPT = path.join(ROOT, "deploy/image/build.sh");

/** Folders with the content of images, and the Node.js that runs them. */
export interface Images {
  /** The folder that has a folder for each image. */
  readonly folder: string;
  /** Returns the folder of an image. */
  of(name: string): string;
  remove(): void;
}

/** Builds images with the script that the Dockerfile runs. */
export async function buildImages(names: readonly string[]): Promise<Images> {
  const folder = mkdtempSync(path.join(tmpdir(), "connect-rest-images-"));
  const [tarball = ""] = (await buildTarballs()).values();
  const env = { ...process.env, PACKAGES: path.dirname(tarball) };
  for (const name of names) await promisify(execFile)(SCRIPT, [name, path.join(folder, name)], { env });
  // Another user must be able to run Node.js and to read the images.
  copyFileSync(process.execPath, path.join(folder, "node"));
  chmodSync(folder, 0o755);
  return {
    folder,
    of: (name) => path.join(folder, name),
    remove: () => {
      execFileSync("chmod", ["-R", "u+w", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process that runs as a container would. */
export interface Container {
  readonly process: ChildProcess;
  /** Returns everything that the process wrote. */
  output(): string;
  /** Resolves when the output matches. Rejects if the process exits before. */
  line(pattern: RegExp): Promise<void>;
  /** Runs the health check of the image. Returns its exit status. */
  health(): Promise<number | null>;
  readonly exit: Promise<number | NodeJS.Signals | null>;
}

/**
 * Starts an image as the Dockerfile says, as a user that cannot write to its files.
 *
 * @param options.replace replaces the paths and ports of the container
 */
export function startImage(
  images: Images,
  name: string,
  options: {
    readonly command?: readonly string[] | undefined;
    readonly environment: Readonly<Record<string, string>>;
    readonly replace: (text: string) => string;
  },
): Container {
  const target = readTarget(name);
  const start = starterOf(images, name, target, options);
  const child = start([...target.entrypoint, ...(options.command ?? target.command)]);
  let output = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  }
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal));
  });
  return {
    process: child,
    exit,
    output: () => output,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(output)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
        void exit.then(() => reject(new Error(`${name} ended without ${pattern}:\n${output}`)));
      }),
    health: async () => {
      const check = start(target.health);
      const [status] = await once(check, "exit");
      return status as number | null;
    },
  };
}

function starterOf(
  images: Images,
  name: string,
  target: Target,
  {
    environment,
    replace,
  }: { readonly environment: Readonly<Record<string, string>>; readonly replace: (text: string) => string },
) {
  const env = Object.fromEntries(
    Object.entries({ ...target.environment, ...environment }).map(([key, value]) => [key, replace(value)]),
  );
  return ([command = "", ...args]: readonly string[]): ChildProcess => {
    if (command !== "node") throw new Error(`the image starts ${command}; expected node`);
    return spawn(path.join(images.folder, "node"), args.map(replace), {
      cwd: images.of(name),
      env,
      stdio: ["ignore", "pipe", "pipe"],
      ...userOf(target, images.of(name)),
    });
  };
}

/** Returns the user of the image. Only root can start a process as another user; others lose write access. */
function userOf({ user }: Target, folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) {
    execFileSync("chmod", ["-R", "a-w", folder]);
    return {};
  }
  const [uid, gid] = user.split(":").map(Number);
  return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
}

/** Writes secrets with the script of the Compose file, readable for other users as in a container. */
export function writeSecrets(folder: string): string {
  const secrets = path.join(folder, "secrets");
  mkdirSync(secrets);
  execFileSync(path.join(ROOT, "deploy/compose/make-secrets.sh"), [secrets]);
  chmodSync(secrets, 0o755);
  return secrets;
}

/** Replaces the content of a secret. */
export function setSecret(secrets: string, name: string, value: string): void {
  const file = path.join(secrets, name);
  rmSync(file);
  writeFileSync(file, value, { mode: 0o444 });
}

/** Returns the number of bytes in the files of a folder. */
export function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce(
    (sum, { parentPath, name }) => sum + readFileSync(path.join(parentPath, name)).length,
    0,
  );
}

/** Returns free ports. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = net.createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
