/** The load generator's process, which runs the jobs of its parent one at a time. */

import { percentile } from "../statistics.ts";
import type { Connection, Target } from "./connection.ts";
import { connectHttp1 } from "./http1.ts";
import { connectHttp2 } from "./http2.ts";

/** A job of the load generator. */
export type Job =
  /** Closes the connections of earlier bursts. */
  | { readonly kind: "close" }
  /** Reports its processor time. */
  | { readonly kind: "cpu" }
  /** Makes one call, and returns the body. */
  | { readonly kind: "probe"; readonly target: Target }
  /** Makes this many calls, on connections that later bursts with the same key reuse. */
  | {
      readonly kind: "burst";
      readonly key: string;
      readonly target: Target;
      readonly connections: number;
      readonly calls: number;
      /** The size of a correct body, in bytes. */
      readonly bodyBytes: number;
    };

/** The result of a burst. */
export interface Burst {
  readonly calls: number;
  /** Calls whose response had a wrong size. */
  readonly wrong: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The result of a job. */
export type JobResult =
  | { readonly closed: true }
  /** In microseconds. */
  | { readonly cpu: number }
  | { readonly body: Uint8Array }
  | { readonly burst: Burst }
  | { readonly error: string };

const KEPT = new Map<string, Connection[]>();

function open(target: Target): Promise<Connection> {
  return target.protocol === "http1" ? connectHttp1(target) : connectHttp2(target);
}

async function probe(target: Target): Promise<JobResult> {
  const connection = await open(target);
  try {
    return { body: Uint8Array.from(await connection.call()) };
  } finally {
    connection.close();
  }
}

/** Returns the connections of a key, and reopens those that the server has closed. */
async function connectionsFor({ key, target, connections }: Job & { kind: "burst" }): Promise<Connection[]> {
  const kept = KEPT.get(key)?.filter(({ isOpen }) => isOpen) ?? [];
  const missing = Array.from({ length: connections - kept.length }, () => open(target));
  const all = [...kept, ...(await Promise.all(missing))];
  // Connections are opened before the measurement, so the figures exclude the time to connect.
  await Promise.all(all.slice(kept.length).map((connection) => connection.call()));
  KEPT.set(key, all);
  return all;
}

async function burst(job: Job & { kind: "burst" }): Promise<JobResult> {
  const all = await connectionsFor(job);
  const times = new Float64Array(job.calls);
  let begun = 0;
  let wrong = 0;
  const start = performance.now();
  const drive = async (connection: Connection) => {
    while (begun < job.calls) {
      const index = begun++;
      const before = performance.now();
      const body = await connection.call();
      if (body.length !== job.bodyBytes) wrong += 1;
      times[index] = performance.now() - before;
    }
  };
  await Promise.all(all.map(drive));
  const seconds = (performance.now() - start) / 1000;
  const sorted = times.sort();
  const [p50Ms, p99Ms] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { burst: { calls: job.calls, wrong, seconds, p50Ms, p99Ms } };
}

async function run(job: Job): Promise<JobResult> {
  switch (job.kind) {
    case "probe":
      return probe(job.target);
    case "burst":
      return burst(job);
    case "cpu": {
      const { user, system } = process.cpuUsage();
      return { cpu: user + system };
    }
    case "close":
      for (const connection of [...KEPT.values()].flat()) connection.close();
      KEPT.clear();
      return { closed: true };
  }
}

process.on("message", (job: Job) => {
  const work = run(job);
  work.then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ type: "ready" });
