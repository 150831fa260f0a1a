import http from "node:http";
import { startAttacker } from "./attacker.ts";
import { call, PAGE } from "./call.ts";
import { startCommand } from "./command.ts";
import { turnFigure } from "./control.ts";
import type { Figure } from "./figure.ts";
import type { FloodKind } from "./flood-kinds.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

/** The time for which a flood runs before and during the measurement of other clients' calls. */
const BEFORE_MS = 500;
const WATCH_MS = 2000;

/** The maximum number of open files on a small system. */
const FILES = 256;

const NAMES: Readonly<Record<Exclude<FloodKind, "hold">, string>> = {
  pipelined: "small requests, pipelined on one connection",
  connections: "small requests on 200 connections",
  "new connections": "a new connection for each request",
  streams: "small requests, HTTP/2",
  resets: "HTTP/2 streams that are reset at once",
  reflection: "questions of reflection",
  "unknown paths": "unknown paths, pipelined on 20 connections",
  frames: "bodies in DATA frames of one byte, on 800 streams",
  chunks: "bodies in chunks of one byte, on 100 connections",
};

/**
 * Floods that also apply to the bare server, which speaks one version of HTTP per port and has no reflection.
 */
const BARE: Readonly<Partial<Record<FloodKind, { readonly http2: boolean }>>> = {
  pipelined: { http2: false },
  connections: { http2: false },
  "new connections": { http2: false },
};

/**
 * Measures the effect of a flood on another client, and how many calls succeed while one client uses up all
 * file descriptors.
 */
export async function measureFloods(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [kind, name] of Object.entries(NAMES) as [Exclude<FloodKind, "hold">, string][]) {
    const own = await during("reliable-gateway", kind, false);
    const bare = BARE[kind];
    figures.push(
      turnFigure(`longest turn during ${name}`, own.turnMs, {
        "a second": own.perSecond,
        "slowest call, ms": own.slowestMs,
        ...(bare && { bare: (await during("bare", kind, bare.http2)).slowestMs }),
      }),
    );
  }
  return [...figures, ...(await measureFiles())];
}

interface During {
  readonly slowestMs: number;
  /** The longest event-loop turn; 0 for the bare server. */
  readonly turnMs: number;
  /** The number of steps of the flood per second. */
  readonly perSecond: number;
}

async function during(name: "reliable-gateway" | "bare", kind: FloodKind, http2: boolean): Promise<During> {
  await using subject = await Subject.start(name, { upstream: "http://127.0.0.1:1", http2 });
  const agent = otherClient();
  // The bare server has no health service, so an unknown path is its cheapest response.
  const ask = () => call(subject.port, { path: CHEAP[name], body: "{}", agent });
  for (let count = 0; count < 20; count++) await ask();
  using flood = await startAttacker("flood", kind, subject.port);
  await new Promise((resolve) => setTimeout(resolve, BEFORE_MS));
  const turnOf = () => (name === "bare" ? 0 : subject.longestTurn());
  await turnOf();
  const before = await flood.done();
  const startedAt = performance.now();
  let slowestMs = 0;
  while (performance.now() - startedAt < WATCH_MS) {
    const { status, ms, body } = await ask();
    if (status === 0) throw new Error(`${kind}: a call got no response: ${body}`);
    slowestMs = Math.max(slowestMs, ms);
  }
  const perSecond = Math.round(((await flood.done()) - before) / ((performance.now() - startedAt) / 1000));
  agent.destroy();
  return { slowestMs, turnMs: await turnOf(), perSecond };
}

const CHEAP = { "reliable-gateway": "/grpc.health.v1.Health/Check", bare: "/nothing" } as const;

/** Calls of other clients go to the upstream, so their connections need file descriptors too. */
async function measureFiles(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  await using gateway = await startCommand(upstream.url, { files: FILES });
  const kept = otherClient();
  await call(gateway.port, { agent: kept });
  using _flood = await startAttacker("flood", "hold", gateway.port);
  await new Promise((resolve) => setTimeout(resolve, BEFORE_MS));
  const [onOld, onNew] = [await served(gateway.port, () => kept), await served(gateway.port, otherClient)];
  kept.destroy();
  const where = `while a client opens 400 connections, ${FILES} files`;
  return [
    { name: `calls served on a connection, ${where}`, unit: "", value: onOld, bound: { atLeast: 1 } },
    { name: `the same on new connections, ${where}`, unit: "", value: onNew, bound: { atLeast: 1 } },
  ];
}

const CALLS = 50;

async function served(port: number, agentOf: () => http.Agent): Promise<number> {
  let good = 0;
  for (let count = 0; count < CALLS; count++) {
    const agent = agentOf();
    const { status } = await call(port, { agent });
    if (status === 200) good++;
    // `otherClient` creates an agent for each call. Any other agent is shared, and must stay open.
    if (agentOf === otherClient) agent.destroy();
  }
  return good / CALLS;
}

/** Returns an agent for connections from an address other than the flood's. */
function otherClient(): http.Agent {
  return new http.Agent({ keepAlive: true, localAddress: "127.0.0.2" });
}
