import { pause } from "../attacks/attack.ts";
import { type CallResponse, call, PAGE } from "./call.ts";
import { startCommand } from "./command.ts";
import type { Figure } from "./figure.ts";
import { sendJson, startUpstream } from "./world.ts";

const WORKERS = 2;
const CLIENTS = 4;
const TIMES = 5;
const BETWEEN_MS = 100;

/**
 * Measures the outcome of calls while a gateway's processes receive signals that end a process by default.
 */
export async function measureSignals(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  await using gateway = await startCommand(upstream.url, { workers: WORKERS, observed: true });
  const responses: CallResponse[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) responses.push(await call(gateway.port));
  });
  while (gateway.logged("worker ready").length < WORKERS) await pause(BETWEEN_MS);
  const workers = gateway.logged("worker ready").map(({ pid }) => Number(pid));
  for (let count = 0; count < TIMES; count++) {
    for (const pid of [Number(gateway.process.pid), ...workers]) process.kill(pid, "SIGUSR2");
    await pause(BETWEEN_MS);
  }
  isOver = true;
  await Promise.all(clients);
  const failed = responses.filter(({ status }) => status !== 200).length;
  const restarted = gateway.logged("a worker ended, another one is started").length;
  const ended =
    restarted + (gateway.process.exitCode === null && gateway.process.signalCode === null ? 0 : 1);
  const where = `${TIMES} SIGUSR2 to each process`;
  return [
    {
      name: `calls failed beside ${where}`,
      unit: "",
      value: failed,
      bound: { atMost: 0 },
      beside: { served: responses.length - failed },
    },
    { name: `processes ended by ${where}`, unit: "", value: ended, bound: { atMost: 0 } },
  ];
}
