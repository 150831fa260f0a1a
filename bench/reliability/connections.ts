import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { WatchGateway } from "../watch/gateway.ts";
import { PATH, request } from "../watch/request.ts";
import { startFeedUpstream } from "../watch/upstream.ts";
import { Watchers } from "../watch/watchers.ts";
import { LIST_POSTS, PAGE, REQUEST } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

const STREAMS = 50;
const CLIENTS = 4000;
const CLIENTS_AT_ONCE = 200;
const WATCHERS = 10_000;
const PATIENCE_MS = 60_000;

/** Measures requests on unusual connections, and requests among very many connections. */
export async function measureConnections(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url });
  const addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
  return [
    share(
      "calls served beside bodies longer than their length, same connection",
      await longBodies(gateway.port),
    ),
    share(`${CLIENTS} clients served that end their side`, await halfClosed(gateway.port)),
    share(
      `${WATCHERS} watchers of one address admitted, opened at once`,
      await watchers(addresses.slice(0, 1)),
    ),
    share(`${WATCHERS} watchers of four addresses admitted, opened at once`, await watchers(addresses)),
  ];
}

function share(name: string, value: number): Figure {
  return { name, unit: "", value, bound: { atLeast: 1 } };
}

/** Sends streams. The body of every second stream is longer than its declared length. */
async function longBodies(port: number): Promise<number> {
  const session = http2.connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
  const headers = { ":method": "POST", ":path": LIST_POSTS, "content-type": "application/json" };
  const ask = (length: number) =>
    new Promise<boolean>((resolve) => {
      const stream = session.request({ ...headers, "content-length": String(length) });
      let isGood = false;
      stream.on("response", (found) => {
        isGood = found[":status"] === 200;
      });
      stream.on("error", () => undefined).on("close", () => resolve(isGood));
      stream.resume().end(REQUEST);
    });
  const good: Promise<boolean>[] = [];
  for (let count = 0; count < STREAMS; count++) {
    void ask(REQUEST.length - 1);
    good.push(ask(REQUEST.length));
  }
  const served = (await Promise.all(good)).filter((isGood) => isGood).length;
  session.destroy();
  return served / STREAMS;
}

/** Opens connections of clients that half-close after the request. */
async function halfClosed(port: number): Promise<number> {
  const head = `POST ${LIST_POSTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  let [started, served] = [0, 0];
  const client = async () => {
    while (started++ < CLIENTS) {
      const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      let text = "";
      socket.setEncoding("latin1").on("error", () => undefined);
      socket.on("data", (chunk: string) => {
        text += chunk;
      });
      socket.end(`${head}content-length: ${REQUEST.length}\r\n\r\n${REQUEST}`);
      await once(socket, "close");
      // A slow response follows the 100 (Continue).
      if (text.includes("HTTP/1.1 200")) served++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS_AT_ONCE }, client));
  return served / CLIENTS;
}

/** Returns the share of the streams that received a first message. */
async function watchers(addresses: readonly string[]): Promise<number> {
  const upstream = await startFeedUpstream(1);
  const gateway = await WatchGateway.start([upstream.url, "fast"]);
  const opened = new Watchers();
  try {
    await opened.open(gateway.port, PATH, request(), WATCHERS, addresses);
    const patience = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    await Promise.race([opened.until(WATCHERS), patience]);
    return Math.max(0, WATCHERS - opened.ended - Math.max(0, WATCHERS - opened.messages)) / WATCHERS;
  } finally {
    opened.close();
    await gateway.kill();
    await upstream.close();
  }
}
