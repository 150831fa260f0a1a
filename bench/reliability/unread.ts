import http2 from "node:http2";
import net from "node:net";
import { pause } from "../attacks/attack.ts";
import { call, LIST_POSTS, REQUEST } from "./call.ts";
import { residentOf, settledAt } from "./command.ts";
import { longestTurnDuring } from "./control.ts";
import type { Figure } from "./figure.ts";
import { forkUpstream, HEAPS, Subject, withHeap } from "./world.ts";

const MB = 1 << 20;
const CALLS = 60;
const LARGE_MB = 15;
const WARM_UP = 20;

/** The time for which clients that do not read are observed, in milliseconds. */
const WATCH_MS = 6_000;

/** The time in which a process must release garbage, in milliseconds. */
const SETTLE_MS = 10_000;

/**
 * The limit in MB: 128 are queued for one client, 64 are being read, and one decoded response and garbage
 * take the remaining space.
 */
const HELD_AT_MOST = 640;

/**
 * Measures memory, and the effect on other clients, while 60 clients request 15 MB each without reading it.
 */
export async function measureUnread(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const heapMb of HEAPS) {
    for (const version of ["1.1", "2"] as const) {
      // The upstream runs in a separate process, so that sending does not delay timers in this process.
      using upstream = await forkUpstream("large-upstream", [String(LARGE_MB), String(WARM_UP)]);
      await using gateway = await Subject.start("reliable-gateway", {
        upstream: upstream.url,
        ...(heapMb !== undefined && { heapMb }),
      });
      for (let count = 0; count < WARM_UP; count++) await call(gateway.port);
      const before = residentOf(gateway);
      const leave = version === "2" ? askHttp2(gateway.port) : askHttp1(gateway.port);
      const who = `${CALLS} clients that read none of 15 MB, HTTP/${version}`;
      figures.push(await longestTurnDuring(withHeap(who, heapMb), gateway, () => pause(WATCH_MS)));
      const held = () => (residentOf(gateway) - before) / MB;
      const immediately = held();
      const settled = await settledAt(held, HELD_AT_MOST, SETTLE_MS);
      leave();
      figures.push({
        name: withHeap(`memory for ${who}`, heapMb),
        unit: "MB",
        value: settled,
        bound: { atMost: HELD_AT_MOST },
        beside: { immediately },
      });
    }
  }
  return figures;
}

/** Sends each request on a separate connection. Returns a function that closes them. */
function askHttp1(port: number): () => void {
  const head = `POST ${LIST_POSTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;
  const sockets = Array.from({ length: CALLS }, () => {
    const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
    socket.pause();
    socket.write(`${head}content-length: ${REQUEST.length}\r\n\r\n${REQUEST}`);
    return socket;
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Sends all requests on one connection with maximum windows, without reading the responses. */
function askHttp2(port: number): () => void {
  const session = http2.connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
  const headers = { ":method": "POST", ":path": LIST_POSTS, "content-type": "application/json" };
  for (let count = 0; count < CALLS; count++) {
    session
      .request(headers)
      .on("error", () => undefined)
      .end(REQUEST);
  }
  return () => session.destroy();
}
