/**
 * `npm run bench -- start`: measures the gateway's startup time, compared with a bare connect-node server.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isWanted, type Options } from "./options.ts";
import { progress } from "./progress.ts";
import { EXECUTABLE, installPublished } from "./start/installation.ts";
import { writeServices } from "./start/services.ts";
import { type Start, type StartCommand, startOnce, startToCompile } from "./start/started.ts";
import { type Estimate, estimate } from "./statistics.ts";

/** The figures of starting one kind of server. */
export interface StartFigures {
  readonly name: StartName;
  /** The number of services, with ten methods each. */
  readonly services: number;
  /** Milliseconds until the ready message. */
  readonly readyMs: Estimate;
  /** The processor time of all threads until the ready message, in milliseconds. Undefined without /proc. */
  readonly cpuMs: Estimate | undefined;
  /** The startup time divided by the bare server's, with the same services and in the same round. */
  readonly ratio: Estimate;
}

/** The published gateway, the gateway from a checkout, and a connect-node server with empty handlers. */
export const START_NAMES = ["connect-node", "gateway", "gateway, checkout"] as const;
export type StartName = (typeof START_NAMES)[number];

const SERVICES = [1, 10, 50];

/** The maximum number of measured starts per server. */
const MAX_ROUNDS = 15;

/**
 * Starts the servers in turn, repeatedly. The first start of each server is not measured, because it fills
 * the compile cache.
 */
export async function measureStart(options: Options): Promise<StartFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-start-"));
  try {
    const counts = SERVICES.filter((count) => isWanted(options, `start ${count} services`));
    if (counts.length === 0) return [];
    progress("start: packages");
    installPublished(join(folder, "node_modules"));
    const figures: StartFigures[] = [];
    for (const count of counts) figures.push(...(await measureServices(folder, count, options)));
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureServices(
  folder: string,
  services: number,
  { rounds }: Options,
): Promise<StartFigures[]> {
  progress(`start: ${services} services`);
  const home = join(folder, String(services));
  mkdirSync(home);
  writeServices(home, services);
  const commands = commandsOf(folder, home);
  for (const name of START_NAMES) {
    if (name !== "connect-node") await startToCompile(commands[name]);
  }
  const measured: Readonly<Record<StartName, Start>>[] = [];
  for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round++) {
    measured.push({
      "connect-node": await startOnce(commands["connect-node"]),
      gateway: await startOnce(commands.gateway),
      "gateway, checkout": await startOnce(commands["gateway, checkout"]),
    });
  }
  return START_NAMES.map((name) => {
    const cpu = measured.map((round) => round[name].cpuMs).filter((ms) => ms !== undefined);
    return {
      name,
      services,
      readyMs: estimate(measured.map((round) => round[name].readyMs)),
      cpuMs: cpu.length === 0 ? undefined : estimate(cpu),
      ratio: estimate(measured.map((round) => round[name].readyMs / round["connect-node"].readyMs)),
    };
  });
}

/**
 * Returns the command for each server. An installed program finds packages in its own folder; in this
 * benchmark, the packages are in the services' folder.
 */
function commandsOf(folder: string, home: string): Readonly<Record<StartName, StartCommand>> {
  const root = join(import.meta.dirname, "..");
  const installed = {
    "connect-node": join(root, "node_modules"),
    gateway: join(folder, "node_modules"),
    "gateway, checkout": join(root, "node_modules"),
  };
  const commandOf = (name: StartName): StartCommand => {
    const own = join(home, name.replace(/\W+/g, "-"));
    for (const path of ["gen", "package.json", "connect-rest.yaml", "bare.js"]) {
      cpSync(join(home, path), join(own, path), { recursive: true });
    }
    symlinkSync(installed[name], join(own, "node_modules"));
    return {
      folder: own,
      args:
        name === "connect-node" ? ["bare.js"] : [join("node_modules", EXECUTABLE), "serve", "--port", "0"],
      // The compile cache is in a folder of this run only.
      env: { ...process.env, TMPDIR: own, NODE_COMPILE_CACHE: undefined },
    };
  };
  return {
    "connect-node": commandOf("connect-node"),
    gateway: commandOf("gateway"),
    "gateway, checkout": commandOf("gateway, checkout"),
  };
}
