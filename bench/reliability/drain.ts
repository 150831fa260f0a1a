import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import http2 from "node:http2";
import { call, LIST_POSTS, PAGE, REQUEST } from "./call.ts";
import { startCommand } from "./command.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

/** Half of the calls use HTTP/1.1, the others HTTP/2. */
const IN_FLIGHT = 200;

/** Measures the outcome of calls in flight when the command receives SIGTERM. */
export async function measureDrain(): Promise<Figure[]> {
  const ours = await drained(async (url) => ({
    // The limit is doubled, because a single client gets only a share of the connections.
    ...(await startCommand(url, { options: { connections: 2 * IN_FLIGHT } })),
    http2: true,
  }));
  const bare = await drained(async (url) => {
    const subject = await Subject.start("bare", { upstream: url });
    return { process: subject.process, port: subject.port, http2: false };
  });
  return [
    {
      name: `calls lost of ${IN_FLIGHT} in flight at SIGTERM`,
      unit: "",
      value: ours.lost,
      bound: { atMost: 0 },
      beside: { bare: bare.lost },
    },
    { name: "calls taken once it had stopped listening", unit: "", value: ours.late, bound: { atMost: 0 } },
    {
      name: "exit status after the drain",
      unit: "",
      value: ours.status ?? Number.NaN,
      bound: { atMost: 0 },
      beside: { bare: bare.signal ?? String(bare.status) },
    },
    {
      name: "time from the last response to the exit",
      unit: "ms",
      value: ours.exitMs,
      bound: { atMost: 1000 },
    },
  ];
}

interface Started {
  readonly process: ChildProcess;
  readonly port: number;
  readonly http2: boolean;
}

async function drained(start: (upstream: string) => Promise<Started>) {
  const held: (() => void)[] = [];
  let inFlight = () => {};
  const allInFlight = new Promise<void>((resolve) => {
    inFlight = resolve;
  });
  await using upstream = await startUpstream((_, response) => {
    held.push(() => sendJson(response, 200, PAGE));
    if (held.length === IN_FLIGHT) inFlight();
  });
  const server = await start(upstream.url);
  const exit = once(server.process, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const responses = inFlightCalls(server);
  await allInFlight;
  server.process.kill("SIGTERM");
  const late = await lateCalls(server.port);
  for (const release of held) release();
  const statuses = await responses;
  const answeredAt = performance.now();
  const [status, signal] = await exit;
  const lost = statuses.filter((each) => each !== 200).length;
  return { lost, late, status, signal, exitMs: performance.now() - answeredAt };
}

function inFlightCalls({ port, http2: both }: Started): Promise<number[]> {
  const half = both ? IN_FLIGHT / 2 : IN_FLIGHT;
  const first = Array.from({ length: half }, async () => (await call(port)).status);
  if (!both) return Promise.all(first);
  const sessions = [0, 1].map(() => http2.connect(`http://127.0.0.1:${port}`).on("error", () => undefined));
  const second = Array.from({ length: half }, (_, index) => streamCall(sessions[index % 2]));
  return Promise.all([...first, ...second]).finally(() => {
    for (const session of sessions) session.destroy();
  });
}

/** Makes a call on an HTTP/2 session. Returns the status; 0 without a response. */
function streamCall(session: http2.ClientHttp2Session | undefined): Promise<number> {
  const headers = { ":method": "POST", ":path": LIST_POSTS, "content-type": "application/json" };
  const stream = session?.request(headers);
  return new Promise((resolve) => {
    let status = 0;
    let ended = false;
    stream?.on("response", (got) => {
      status = Number(got[":status"]);
    });
    stream?.on("end", () => {
      ended = true;
    });
    stream?.on("error", () => undefined).on("close", () => resolve(ended ? status : 0));
    stream?.resume().end(REQUEST);
  });
}

/** Waits until the port is closed, and counts the calls that are accepted in the meantime. */
async function lateCalls(port: number): Promise<number> {
  const end = performance.now() + 5000;
  const isRejected = async () => (await call(port, { path: "/readyz" })).body.includes("ECONNREFUSED");
  while (!(await isRejected())) if (performance.now() > end) return Number.NaN;
  const responses = await Promise.all(Array.from({ length: 20 }, () => call(port)));
  return responses.filter(({ status }) => status !== 0).length;
}
