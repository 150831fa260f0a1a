import type { Connection } from "../load/connection.ts";
import { connectHttp1 } from "../load/http1.ts";
import { quietest } from "../statistics.ts";
import { call, calls, target } from "./call.ts";
import type { Figure } from "./figure.ts";
import type { Settings } from "./settings.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

const CALLS = 200;

/** Measures the number of requests per call to an upstream that is down. */
export async function measureRetries(): Promise<Figure[]> {
  const beside = {
    "bare with RetryAgent": await attempts("bare", { retries: true }, 40),
    bare: await attempts("bare", {}, 40),
  };
  return [
    {
      name: "requests per call to an upstream that is down",
      unit: "",
      value: await attempts("reliable-gateway", {}, CALLS),
      bound: { atMost: 1.2 },
      beside,
    },
    {
      name: "the same without the breaker: the budget alone",
      unit: "",
      value: await attempts("reliable-gateway", { options: { breaker: false } }, CALLS),
      bound: { atMost: 1.2 },
    },
  ];
}

async function attempts(
  name: "reliable-gateway" | "bare",
  settings: Omit<Settings, "upstream">,
  count: number,
): Promise<number> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 503, "{}"));
  await using subject = await Subject.start(name, { upstream: upstream.url, ...settings });
  await calls(count, 10, () => call(subject.port));
  return upstream.requests() / count;
}

const ROUNDS = 20;
const REFUSALS = 100;

/** Measures how fast calls are rejected while the circuit is open. */
export async function measureBreaker(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 503, "{}"));
  await using subject = await Subject.start("reliable-gateway", { upstream: upstream.url });
  await calls(200, 10, () => call(subject.port));
  const before = upstream.requests();
  const rounds: number[][] = [];
  const connection = await connectHttp1(target(subject.port), 503);
  for (let round = 0; round < ROUNDS; round++) rounds.push(await rejections(connection));
  connection.close();
  return [
    rejection("p50", quietest(rounds, 0.5)),
    rejection("p99", quietest(rounds, 0.99)),
    {
      name: `requests to the upstream for ${ROUNDS * REFUSALS} calls meanwhile`,
      unit: "",
      value: upstream.requests() - before,
      bound: { atMost: 3 },
    },
  ];
}

function rejection(label: string, value: number): Figure {
  return { name: `rejection by an open breaker, ${label}`, unit: "ms", value, bound: { atMost: 5 } };
}

/** Returns the durations of sequential rejections. */
async function rejections(connection: Connection): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < REFUSALS; count++) {
    const startedAt = performance.now();
    const body = Buffer.from(await connection.call()).toString();
    const isRejection = body.includes("UPSTREAM_CIRCUIT_OPEN");
    // The call that probes the upstream is not a rejection.
    if (isRejection) times.push(performance.now() - startedAt);
  }
  return times;
}
