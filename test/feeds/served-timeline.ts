import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Timeline } from "../../runtime/src/testing/timeline.ts";

/** A timeline that processes reach over HTTP. Polls should be a second apart. */
export interface ServedTimeline {
  readonly timeline: Timeline;
  readonly url: string;
  /** The connection of each poll, in order. Each process uses a separate connection. */
  readonly pollers: readonly number[];
  close(): Promise<void>;
}

/** Starts a timeline. */
export async function serveTimeline(): Promise<ServedTimeline> {
  const timeline = new Timeline(100, 1);
  timeline.interval = 1;
  const pollers: number[] = [];
  const server = createServer(async (request, response) => {
    pollers.push(request.socket.remotePort ?? 0);
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
    const init = { method: "GET", headers, signal: AbortSignal.timeout(60_000) };
    const found = await timeline.fetch(`http://localhost${request.url}`, init as never);
    const body = found.body == null ? "" : await text(found.body as AsyncIterable<Uint8Array>);
    response.writeHead(found.status, Object.fromEntries(found.headers)).end(body);
  });
  // Each poller keeps one connection while it polls.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    timeline,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pollers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
