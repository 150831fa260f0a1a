import http from "node:http";
import { type CallResponse, call, PAGE } from "./call.ts";
import { type Command, startCommand } from "./command.ts";
import type { Figure } from "./figure.ts";
import { sendJson, startUpstream } from "./world.ts";

const WORKERS = 2;
const CLIENTS = 16;
const KILLS = 4;
const BETWEEN_MS = 1500;
/** Much longer than a call takes. */
const HANGS_MS = 10_000;

/** What workers that are killed under load take with them, and how soon the first has a successor. */
export async function measureKilledWorkers(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  await using gateway = await startCommand(upstream.url, { workers: WORKERS, observed: true });
  const responses: CallResponse[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    // each call on a connection of its own
    const agent = new http.Agent({ keepAlive: false });
    while (!isOver) {
      const options = { agent, signal: AbortSignal.timeout(HANGS_MS + 500) };
      responses.push(await call(gateway.port, options));
    }
  });
  let restartMs = 0;
  for (let kills = 0; kills < KILLS; kills++) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    const ms = await killOne(gateway, WORKERS + kills);
    if (kills === 0) restartMs = ms;
  }
  isOver = true;
  await Promise.all(clients);
  const lost = responses.filter(({ status }) => status !== 200);
  const hanging = lost.filter(({ ms }) => ms >= HANGS_MS).length;
  return [
    { name: "fresh connections that hang", unit: "", value: hanging, bound: { atMost: 0 } },
    {
      name: `calls lost for a worker that is killed, of ${CLIENTS} at a time`,
      unit: "",
      value: lost.length / KILLS,
      bound: { atMost: CLIENTS },
      beside: { served: responses.length - lost.length },
    },
    { name: "until the first restart begins", unit: "ms", value: restartMs, bound: { atMost: 1000 } },
  ];
}

const READY = "worker ready";
const ENDED = "a worker ended, another one is started";

/** Kills the worker that started last once so many have; resolves with the time until it is started again. */
async function killOne({ logged }: Command, started: number): Promise<number> {
  await until(() => logged(READY).length >= started);
  const ended = logged(ENDED).length;
  process.kill(Number(logged(READY).at(-1)?.pid), "SIGKILL");
  const killedAt = performance.now();
  await until(() => logged(ENDED).length > ended);
  return performance.now() - killedAt + Number(logged(ENDED).at(-1)?.waitMs);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}
