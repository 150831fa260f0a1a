import http2 from "node:http2";
import net from "node:net";
import { LIST_POSTS, PAGE, REQUEST } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

/** The maximum time for which a server is observed. */
const WATCH_MS = 40_000;

/** The tolerance for timers and a busy machine, in seconds. */
const SLACK = 1.5;

const HEAD = `POST ${LIST_POSTS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`;

interface Peer {
  readonly name: string;
  /** The gateway's limit, in seconds. */
  readonly limit: number;
  readonly http2?: boolean;
  /** Resolves when the server gives up, with the time at which the server began to wait. */
  readonly act: (port: number, end: AbortSignal) => Promise<number>;
}

const PEERS: readonly Peer[] = [
  {
    name: "headers, a byte a second",
    limit: 10,
    act: (port, end) => trickle(port, "POST / HTTP/1.1\r\nx: ", end),
  },
  {
    name: "a body, a byte a second",
    limit: 15,
    act: (port, end) => trickle(port, `${HEAD}content-length: 9999\r\n\r\n{`, end),
  },
  { name: "silence within an HTTP/2 stream", limit: 10, http2: true, act: silentStream },
  { name: "not reading the response", limit: 30, act: deafReader },
];

/** Measures how long servers tolerate slow peers. All measurements run concurrently. */
export async function measureSlowPeers(): Promise<Figure[]> {
  const text = PAGE.replace("<p>", `<p>${"x".repeat(12 << 20)}`);
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, text));
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url });
  await using bare = await Subject.start("bare", { upstream: upstream.url });
  await using bareHttp2 = await Subject.start("bare", { upstream: upstream.url, http2: true });
  return await Promise.all(
    PEERS.map(async (peer) => {
      const [ours, theirs] = await Promise.all([
        borne(peer, gateway.port),
        borne(peer, peer.http2 ? bareHttp2.port : bare.port),
      ]);
      return {
        name: `a client is cut off: ${peer.name}`,
        unit: "s",
        value: ours ?? Number.POSITIVE_INFINITY,
        bound: { atMost: peer.limit + SLACK },
        beside: { bare: theirs ?? `not within ${WATCH_MS / 1000} s` },
      };
    }),
  );
}

/**
 * Returns the number of seconds until the server ends the exchange; undefined if the server does not end it.
 */
async function borne({ act }: Peer, port: number): Promise<number | undefined> {
  const end = AbortSignal.timeout(WATCH_MS);
  const since = await act(port, end);
  return end.aborted ? undefined : (performance.now() - since) / 1000;
}

/** Sends a prefix and then one byte per second, until the server responds or closes. */
async function trickle(port: number, beginning: string, end: AbortSignal): Promise<number> {
  const since = performance.now();
  const socket = net.connect(port, "127.0.0.1");
  socket.write(beginning);
  const timer = setInterval(() => socket.write("a"), 1000);
  await first(end, (over) => socket.on("data", over).on("error", over).on("close", over));
  clearInterval(timer);
  socket.destroy();
  return since;
}

/** Opens a stream with headers, and sends no data. */
async function silentStream(port: number, end: AbortSignal): Promise<number> {
  const since = performance.now();
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const headers = { ":method": "POST", ":path": LIST_POSTS, "content-type": "application/json" };
  const stream = session.request(headers);
  await first(end, (over) => {
    session.on("error", over);
    stream.on("response", over).on("error", over).on("close", over);
  });
  session.destroy();
  return since;
}

/**
 * Reads the start of a response of several megabytes and then stops. Sends empty lines, which fail after the
 * server has reset the connection.
 */
async function deafReader(port: number, end: AbortSignal): Promise<number> {
  let since = performance.now();
  const socket = net.connect(port, "127.0.0.1");
  socket.write(`${HEAD}content-length: ${REQUEST.length}\r\n\r\n${REQUEST}`);
  socket.once("data", () => {
    since = performance.now();
    socket.pause();
  });
  const timer = setInterval(() => socket.write("\r\n"), 50);
  await first(end, (over) => socket.on("error", over).on("close", over));
  clearInterval(timer);
  socket.destroy();
  return since;
}

/** Resolves with the first event, or at the time limit. */
function first(end: AbortSignal, listen: (over: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    listen(resolve);
    end.addEventListener("abort", () => resolve());
  });
}
