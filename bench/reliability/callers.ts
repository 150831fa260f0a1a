import http from "node:http";
import { type CallResponse, call, calls, PAGE } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

const CALLS = 100;

/** The number of requests per attacker, which is enough to open a circuit. */
const FAILING = 11;
const LATE = 40;
const DEADLINE_MS = 30;

/**
 * Measures the share of one client's calls that succeed while other clients' calls fail, or while the process
 * is overloaded.
 */
export async function measureCallers(): Promise<Figure[]> {
  return [
    await besideAttack(`two clients with ${FAILING} requests that get 500`, 2, FAILING, {
      body: body("fail"),
    }),
    await besideAttack(`five clients with ${LATE} deadlines of ${DEADLINE_MS} ms`, 5, LATE, {
      body: body("never"),
      headers: { "connect-timeout-ms": String(DEADLINE_MS) },
    }),
    ...(await measureStarved()),
  ];
}

function body(blogIdentifier: string): string {
  return JSON.stringify({ blogIdentifier, limit: 1 });
}

/** Returns an agent for the calls of a client with a separate address. */
function client(number: number): http.Agent {
  return new http.Agent({ keepAlive: true, localAddress: `127.0.0.${number}` });
}

async function besideAttack(
  attack: string,
  attackers: number,
  count: number,
  options: Parameters<typeof call>[1],
): Promise<Figure> {
  await using upstream = await startUpstream((request, response) => {
    if (request.url?.includes("never") === true) return;
    sendJson(response, request.url?.includes("fail") === true ? 500 : 200, PAGE);
  });
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url });
  const agents = Array.from({ length: attackers + 1 }, (_, index) => client(index + 2));
  const [other, ...hostile] = agents;
  const make = () => call(gateway.port, { ...(other && { agent: other }) });
  await calls(20, 1, make);
  const attacks = hostile.map((agent) =>
    calls(count, count, () => call(gateway.port, { ...options, agent })),
  );
  const during = await calls(CALLS, 4, make);
  const failed = (await Promise.all(attacks)).flat();
  const after = await calls(CALLS, 4, make);
  for (const agent of agents) agent.destroy();
  if (failed.some(isServed)) throw new Error(`${attack}: expected errors, got 200`);
  return {
    name: `calls served beside and after ${attack}`,
    unit: "",
    value: shareOf([...during, ...after], isServed),
    bound: { atLeast: 1 },
  };
}

/** The number of calls that a client keeps in flight to an overloaded process. */
const IN_FLIGHT = 100;
const STARVED_CALLS = 5000;

/** A limit that a busy process always exceeds by far, so that nine of ten calls are rejected. */
const DELAY_MS = 1;

async function measureStarved(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  const limits = { eventLoopDelayMs: DELAY_MS };
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url, limits });
  const agent = client(2);
  const checks: CallResponse[] = [];
  let isOver = false;
  const checked = (async () => {
    const other = client(3);
    const options = { path: "/grpc.health.v1.Health/Check", body: "{}", agent: other };
    while (!isOver) checks.push(await call(gateway.port, options));
    other.destroy();
  })();
  const responses = await calls(STARVED_CALLS, IN_FLIGHT, () => call(gateway.port, { agent }));
  isOver = true;
  await checked;
  agent.destroy();
  const rejected = shareOf(responses, ({ status }) => status === 503);
  return [
    {
      name: "calls served by a process beyond its load",
      unit: "",
      value: shareOf(responses, isServed),
      bound: { atLeast: 0.05 },
      beside: { rejected },
    },
    {
      name: "health checks served meanwhile",
      unit: "",
      value: shareOf(checks, isServed),
      bound: { atLeast: 1 },
    },
  ];
}

function isServed({ status }: CallResponse): boolean {
  return status === 200;
}

function shareOf(responses: readonly CallResponse[], is: (response: CallResponse) => boolean): number {
  return responses.filter(is).length / responses.length;
}
