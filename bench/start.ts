/**
 * `npm run bench -- start`: how long the gateway takes until it is ready, beside a bare connect-node server.
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

/** What starts of one kind came to. */
export interface StartFigures {
  readonly name: StartName;
  /** How many services, of ten methods each. */
  readonly services: number;
  /** Until it says that it is ready, in milliseconds. */
  readonly readyMs: Estimate;
  /** Processor time of all threads until then, in milliseconds. Undefined where there is no /proc. */
  readonly cpuMs: Estimate | undefined;
  /** Until it is ready, in multiples of the bare server of the same services and round. */
  readonly ratio: Estimate;
}

/**
 * The gateway as it is published and from a checkout, and a server by
 * connect-node with handlers that do nothing.
 */
export const START_NAMES = ["connect-node", "gateway", "gateway, checkout"] as const;
export type StartName = (typeof START_NAMES)[number];

const SERVICES = [1, 10, 50];

/** Starts of each that are measured, at most. */
const MAX_ROUNDS = 15;

/**
 * Starts each of them in turn, again and again. All have been started before,
 * so that what is compiled is at hand.
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
 * How each is started. A program that was installed finds its packages beside it;
 * these are beside the services.
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
      // what is compiled is kept in a folder of this run
      env: { ...process.env, TMPDIR: own, NODE_COMPILE_CACHE: undefined },
    };
  };
  return {
    "connect-node": commandOf("connect-node"),
    gateway: commandOf("gateway"),
    "gateway, checkout": commandOf("gateway, checkout"),
  };
}
