import http from "node:http";
import { type CallResponse, call, PAGE } from "./call.ts";
import { type Command, startCommand } from "./command.ts";
import type { Figure } from "./figure.ts";
import { sendJson, startUpstream } from "./world.ts";

const WORKERS = 2;
const CLIENTS = 16;
const KILLS = 4;
const BETWEEN_MS = 1500;
/** A connection counts as hanging if this many later calls receive a response first. */
const OVERTAKEN = 2000;
/** The time between the last kill and the closing of hanging connections, in milliseconds. */
const GIVE_UP_MS = 30_000;

/**
 * Measures the number of calls lost when workers are killed under load, and the time until the first killed
 * worker is replaced.
 */
export async function measureKilledWorkers(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  await using gateway = await startCommand(upstream.url, { workers: WORKERS, observed: true });
  const responses: (CallResponse & { readonly overtaken: number })[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    // Each call uses a new connection.
    const agent = new http.Agent({ keepAlive: false });
    while (!isOver) {
      const before = responses.length;
      const response = await call(gateway.port, { agent, signal: AbortSignal.timeout(GIVE_UP_MS) });
      responses.push({ ...response, overtaken: responses.length - before });
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
  const hanging = responses.filter(({ overtaken, ms }) => overtaken > OVERTAKEN || ms >= GIVE_UP_MS).length;
  return [
    {
      name: "fresh connections that hang",
      unit: "",
      value: hanging,
      bound: { atMost: 0 },
      beside: { "slowest, ms": Math.max(...responses.map(({ ms }) => ms)) },
    },
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

/**
 * Kills the newest worker when this many workers have started. Resolves with the time until its successor
 * starts.
 */
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
