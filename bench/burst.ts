import type { Contestant } from "./contestants.ts";
import type { Target } from "./load/connection.ts";
import type { Page } from "./pages.ts";
import type { LoadProcess, Server } from "./processes.ts";

/** The figures of a burst, or the means of several. */
export interface Figures {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The processor time of all server threads per call. */
  readonly cpuMicroseconds: number;
}

/** A contestant's server whose response for a page has been checked. */
export interface Entry {
  readonly contestant: Contestant;
  readonly page: Page;
  readonly server: Server;
  readonly target: Target;
  readonly bodyBytes: number;
}

/** The maximum number of bytes in a warm-up, so that large pages take no longer than small ones. */
export const WARM_UP_BYTES = 300 * 1024 * 1024;

/** Returns the number of calls, which is lower for large pages. */
export function callsOf({ json }: Page, most: number, bytes: number): number {
  return Math.max(8, Math.min(most, Math.ceil(bytes / json.length)));
}

/**
 * Makes a call and compares the response with the page.
 *
 * @throws Error if the response is wrong
 */
export async function checked(
  generator: LoadProcess,
  contestant: Contestant,
  page: Page,
  server: Server,
): Promise<Entry> {
  const { protocol } = contestant;
  const target = { protocol, port: server.port(protocol), ...contestant.request(page) };
  const body = await generator.probe(target);
  const problem = contestant.check(body, page);
  if (problem !== undefined) {
    throw new Error(`${contestant.name}, ${page.label}: the response is not right: ${problem}`);
  }
  return { contestant, page, server, target, bodyBytes: body.length };
}

/**
 * Makes a burst of calls on connections that later bursts reuse.
 *
 * @throws Error if a response has the wrong size
 */
export async function measureBurst(
  generator: LoadProcess,
  { contestant, page, server, target, bodyBytes }: Entry,
  calls: number,
  connections: number,
): Promise<Figures> {
  const key = `${contestant.name} ${target.port}`;
  const job = { key, target, calls, connections: Math.min(connections, calls), bodyBytes };
  const before = await server.cpu();
  const burst = await generator.burst(job);
  const after = await server.cpu();
  if (burst.wrong > 0) {
    throw new Error(
      `${contestant.name}, ${page.label}: ${burst.wrong} of ${burst.calls} responses are not right`,
    );
  }
  return {
    callsPerSecond: burst.calls / burst.seconds,
    p50Ms: burst.p50Ms,
    p99Ms: burst.p99Ms,
    cpuMicroseconds: (after - before) / burst.calls,
  };
}
