import http from "node:http";
import { call, calls, PAGE } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

/** The upstream's capacity: concurrent calls, and milliseconds per call. */
const PLACES = 10;
const TAKES_MS = 100;

/** The number of calls that the first client keeps running or queued. */
const GREEDY = 200;
const CALLS = 30;

/**
 * Measures the latency of one client's calls while another client fills an upstream's capacity and its queue.
 */
export async function measureFairness(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => {
    setTimeout(() => sendJson(response, 200, PAGE), TAKES_MS);
  });
  const options = { callsInFlight: PLACES };
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url, options });
  for (let count = 0; count < 20; count++) await call(gateway.port);
  const second = new http.Agent({ keepAlive: true, localAddress: "127.0.0.2" });
  let isOver = false;
  const greedy = calls(Number.POSITIVE_INFINITY, GREEDY, async () => {
    const response = await call(gateway.port);
    if (isOver) throw new Error("over");
    return response;
  }).catch(() => undefined);
  const times: number[] = [];
  let good = 0;
  for (let count = 0; count < CALLS; count++) {
    const { status, ms } = await call(gateway.port, { agent: second });
    times.push(ms);
    if (status === 200) good++;
  }
  isOver = true;
  await greedy;
  second.destroy();
  return [
    {
      name: `slowest of ${CALLS} calls beside a client with ${GREEDY}, ${TAKES_MS} ms each`,
      unit: "ms",
      value: Math.max(...times),
      // The bound is the duration of two calls, of which the second waits for the first, with a margin.
      bound: { atMost: 3 * TAKES_MS },
    },
    { name: "of these were served", unit: "", value: good / CALLS, bound: { atLeast: 1 } },
  ];
}
