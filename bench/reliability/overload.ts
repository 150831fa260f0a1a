import http from "node:http";
import { quietest } from "../statistics.ts";
import { type CallResponse, call, PAGE } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

/** The upstream's capacity: concurrent calls, and milliseconds per call. */
const PLACES = 10;
const TAKES_MS = 100;
const DEADLINE_MS = 1000;
const SECONDS = 4;

/** Measures which calls succeed at twice the upstream's capacity. */
export async function measureOverload(): Promise<Figure[]> {
  const limits = { callsInFlight: PLACES, queuedCalls: PLACES };
  const { share, rejections } = await overloaded("reliable-gateway", limits);
  const bare = await overloaded("bare", undefined);
  const withRetryInfo = rejections.filter(({ body }) => body.includes("google.rpc.RetryInfo")).length;
  return [
    {
      name: "goodput at twice saturation, of the peak",
      unit: "",
      value: share,
      bound: { atLeast: 0.9 },
      beside: { bare: bare.share },
    },
    {
      name: "rejection of a call too many, p99",
      unit: "ms",
      value: quietest(inRounds(rejections.map(({ ms }) => ms)), 0.99),
      bound: { atMost: 20 },
    },
    {
      name: "rejections with a RetryInfo",
      unit: "",
      value: withRetryInfo / rejections.length,
      bound: { atLeast: 1 },
    },
  ];
}

async function overloaded(name: "reliable-gateway" | "bare", limits: Record<string, number> | undefined) {
  await using upstream = await limitedUpstream();
  await using subject = await Subject.start(name, { upstream: upstream.url, ...(limits && { limits }) });
  const agent = new http.Agent({ keepAlive: true });
  const make = () => call(subject.port, { agent, headers: { "connect-timeout-ms": String(DEADLINE_MS) } });
  const peak = await saturated(make);
  const { responses, inTime } = await offered(2 * peak, make);
  agent.destroy();
  const good = inTime / SECONDS;
  // The statuses 429 and 503 are rejections.
  const rejections = responses.filter(({ status }) => status === 429 || status === 503);
  return { share: good / peak, rejections };
}

const ROUNDS = 8;

function inRounds(values: readonly number[]): number[][] {
  const size = Math.ceil(values.length / ROUNDS);
  return Array.from({ length: ROUNDS }, (_, round) => values.slice(round * size, (round + 1) * size));
}

/** Returns the number of calls per second at the upstream's capacity. */
async function saturated(make: () => Promise<CallResponse>): Promise<number> {
  for (let count = 0; count < 20; count++) await make();
  const end = performance.now() + SECONDS * 1000;
  let answered = 0;
  const worker = async () => {
    while (performance.now() < end) {
      const { status } = await make();
      if (status === 200 && performance.now() <= end) answered++;
    }
  };
  // Twice as many calls are made, so that the capacity is always used.
  await Promise.all(Array.from({ length: 2 * PLACES }, worker));
  return answered / SECONDS;
}

/**
 * Starts calls at a fixed rate, whatever their outcome. Returns all responses, and the number of successful
 * responses in that time.
 */
async function offered(perSecond: number, make: () => Promise<CallResponse>) {
  const started: Promise<CallResponse>[] = [];
  const startedAt = performance.now();
  const end = startedAt + SECONDS * 1000;
  let inTime = 0;
  const counted = async () => {
    const response = await make();
    if (response.status === 200 && performance.now() <= end) inTime++;
    return response;
  };
  while (performance.now() < end) {
    const due = ((performance.now() - startedAt) / 1000) * perSecond;
    while (started.length < due) started.push(counted());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { responses: await Promise.all(started), inTime };
}

/**
 * Returns an upstream with limited concurrency. Further requests are queued, and processed even if their
 * clients have disconnected.
 */
function limitedUpstream() {
  const waiting: http.ServerResponse[] = [];
  let running = 0;
  const start = (response: http.ServerResponse) => {
    running++;
    setTimeout(() => {
      running--;
      sendJson(response, 200, PAGE);
      const next = waiting.shift();
      if (next !== undefined) start(next);
    }, TAKES_MS);
  };
  return startUpstream((_, response) => {
    if (running < PLACES) {
      start(response);
    } else {
      waiting.push(response);
    }
  });
}
