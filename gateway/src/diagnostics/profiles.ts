import type http from "node:http";
import inspector from "node:inspector/promises";
import { pipeline } from "node:stream/promises";
import { getHeapSnapshot } from "node:v8";
import { UNCACHED } from "../listener/rejection.ts";
import { sendText } from "../listener/side-server.ts";
import { splitTarget } from "../listener/target.ts";

const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 300;

/**
 * Sends a heap snapshot, for the memory panel of Chrome's developer tools. Taking a snapshot blocks the
 * process and roughly doubles its memory. A snapshot contains every value in memory, including secrets.
 */
export async function sendHeapSnapshot(
  _request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  response.writeHead(200, headersFor("heapsnapshot"));
  await pipeline(getHeapSnapshot(), response);
}

/**
 * Sends a CPU profile of the next seconds (`?seconds=10`, at most 300), for the performance panel of Chrome's
 * developer tools.
 */
export async function sendCpuProfile(
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const given = new URLSearchParams(splitTarget(request.url).query).get("seconds") ?? String(DEFAULT_SECONDS);
  const seconds = Number(given);
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    sendText(response, 400, `expected seconds above 0 and at most ${MAX_SECONDS}`);
    return;
  }
  const profile = await profileFor(seconds * 1000, response);
  response.writeHead(200, headersFor("cpuprofile")).end(JSON.stringify(profile));
}

/** Records a profile; ends early if the client disconnects. */
async function profileFor(ms: number, response: http.ServerResponse): Promise<inspector.Profiler.Profile> {
  const session = new inspector.Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      response.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return (await session.post("Profiler.stop")).profile;
  } finally {
    session.disconnect();
  }
}

function headersFor(extension: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "content-disposition": `attachment; filename="gateway.${extension}"`,
    ...UNCACHED,
  };
}
