/** The client programs: their requirements, and how to run them. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { hasGo, type Installed, installed, NO_GO, run } from "../support/installed.ts";
import type { ClientCall, ClientResult } from "./call.ts";
import type { ClientName } from "./rejections.ts";

const HERE = import.meta.dirname;

/** The release of grpcio; package-lock.json and go.sum pin the other clients. */
const GRPCIO = "1.84.0";

/** A command that can be run, or the reason why it is missing. */
export interface Program {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly problem?: string | undefined;
}

/** Prepares a client: downloads its library and builds its program. */
export const PREPARE: Readonly<Record<ClientName, () => Promise<Program>>> = {
  "grpc-js": () => Promise.resolve({ command: [process.execPath, join(HERE, "grpc-js-client.ts")] }),
  grpcio: async () => {
    const { path, problem } = await installGrpcio();
    return { command: ["python3", join(HERE, "grpcio_client.py")], env: { PYTHONPATH: path }, problem };
  },
  "grpc-go": async () => {
    const { path, problem } = await buildGoClient();
    return { command: [path], problem };
  },
};

function installGrpcio(): Promise<Installed> {
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  return installed(`grpcio-${GRPCIO}`, async (path) => {
    await run("python3", [...pip, "--target", path, `grpcio==${GRPCIO}`]);
  });
}

async function buildGoClient(): Promise<Installed> {
  if (!hasGo) return { path: "", problem: NO_GO };
  const folder = join(HERE, "go");
  const digest = createHash("sha256");
  for (const file of ["go.sum", "main.go"]) digest.update(readFileSync(join(folder, file)));
  return installed(`grpc-go-client-${digest.digest("hex").slice(0, 16)}`, async (path) => {
    await run("go", ["build", "-buildvcs=false", "-o", path, "."], { cwd: folder });
  });
}

/** Makes sequential calls with a client. */
export async function callAll(
  { command: [program = "", ...args], env }: Program,
  calls: readonly ClientCall[],
): Promise<ClientResult[]> {
  const client = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const exit = new Promise<number | null>((resolve, reject) => {
    client.once("error", reject).once("exit", resolve);
  });
  client.stdin.end(JSON.stringify(calls));
  const [output, errors] = await Promise.all([text(client.stdout), text(client.stderr)]);
  if ((await exit) !== 0) throw new Error(`${program} failed: ${errors}`);
  return JSON.parse(output) as ClientResult[];
}
