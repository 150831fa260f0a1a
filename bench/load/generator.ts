/** The load generator's process: takes jobs from its parent, one at a time. */

import { percentile } from "../statistics.ts";
import type { Connection, Target } from "./connection.ts";
import { connectHttp1 } from "./http1.ts";
import { connectHttp2 } from "./http2.ts";

/** What to do: one call, whose body is the result, or calls for a while. */
export type Job =
  | { readonly kind: "probe"; readonly target: Target }
  | {
      readonly kind: "load";
      readonly target: Target;
      readonly connections: number;
      readonly seconds: number;
      /** The size of a right response's body. */
      readonly bodyBytes: number;
    };

/** What calls for a while came to. */
export interface Load {
  readonly calls: number;
  /** Calls whose response did not have the right size. */
  readonly wrong: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The response to a job. */
export type JobResult = { readonly body: Uint8Array } | { readonly load: Load } | { readonly error: string };

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

async function load({ target, connections, seconds, bodyBytes }: Job & { kind: "load" }): Promise<JobResult> {
  const all = await Promise.all(Array.from({ length: connections }, () => open(target)));
  const start = performance.now();
  const end = start + seconds * 1000;
  const times: number[] = [];
  let wrong = 0;
  const drive = async (connection: Connection) => {
    for (let before = performance.now(); before < end; ) {
      const body = await connection.call();
      const after = performance.now();
      if (body.length !== bodyBytes) wrong += 1;
      times.push(after - before);
      before = after;
    }
  };
  try {
    await Promise.all(all.map(drive));
  } finally {
    for (const connection of all) connection.close();
  }
  const took = (performance.now() - start) / 1000;
  const sorted = Float64Array.from(times).sort();
  const [p50Ms, p99Ms] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return { load: { calls: times.length, wrong, seconds: took, p50Ms, p99Ms } };
}

process.on("message", (job: Job) => {
  const work = job.kind === "probe" ? probe(job.target) : load(job);
  work.then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ type: "ready" });
