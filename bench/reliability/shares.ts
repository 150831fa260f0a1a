import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import { call, calls, LIST_POSTS, PAGE, REQUEST } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

/** The upstream's response time for the attacker's calls, in milliseconds. */
const SLOW_MS = 8000;
const COMPLETE = 2000;
const CONNECTIONS = 11;
const HALVES = 95;
const CALLS = 30;

/** Measures the share of one client's calls that succeed while another client fills shared resources. */
export async function measureShares(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => {
    setTimeout(() => sendJson(response, 200, PAGE), response.req.url?.includes("slow") ? SLOW_MS : 0);
  });
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url });
  for (let count = 0; count < 20; count++) await call(gateway.port);
  const { port } = gateway;
  return [
    await served(port, `${CONNECTIONS * HALVES} unfinished requests`, () => unfinished(port)),
    await served(port, `${COMPLETE} calls to an upstream that takes ${SLOW_MS} ms`, () => complete(port)),
  ];
}

async function served(port: number, attack: string, begin: () => Promise<() => void>): Promise<Figure> {
  const end = await begin();
  const agent = new http.Agent({ keepAlive: true, localAddress: "127.0.0.2" });
  const responses = await Promise.all(Array.from({ length: CALLS }, () => call(port, { agent })));
  const good = responses.filter(({ status }) => status === 200).length;
  agent.destroy();
  end();
  return { name: `calls served beside ${attack}`, unit: "", value: good / CALLS, bound: { atLeast: 1 } };
}

/** Sends half of a message on each stream. */
async function unfinished(port: number): Promise<() => void> {
  const headers = { ":method": "POST", ":path": LIST_POSTS, "content-type": "application/json" };
  const sessions = Array.from({ length: CONNECTIONS }, () => http2.connect(`http://127.0.0.1:${port}`));
  await Promise.all(sessions.map((session) => once(session, "connect")));
  for (const session of sessions) {
    session.on("error", () => undefined);
    for (let count = 0; count < HALVES; count++) {
      session
        .request(headers)
        .on("error", () => undefined)
        .write(REQUEST.slice(0, 8));
    }
    await new Promise((resolve) => session.ping(resolve));
  }
  return () => {
    for (const session of sessions) session.destroy();
  };
}

async function complete(port: number): Promise<() => void> {
  const abort = new AbortController();
  const body = JSON.stringify({ blogIdentifier: "slow", limit: 1 });
  const attack = calls(COMPLETE, COMPLETE, () => call(port, { body, signal: abort.signal }));
  // Waits until the client has used up its share.
  await new Promise((resolve) => setTimeout(resolve, 3000));
  return () => {
    abort.abort();
    attack.catch(() => undefined);
  };
}
