/**
 * The gateway with its defaults, for streams that watch a feed. Arguments: the upstream, `fast` or `connect`,
 * and in a fleet also a name and a bus.
 */

import { startGateway } from "connect-rest-gateway";
import { Secret } from "connect-rest-runtime";
import { collectGarbage } from "../../gateway/src/cli/idle-memory.ts";
import { feedService } from "../../runtime/src/testing/feed-service.ts";
import { upstreamArgument } from "./child.ts";

/** A question that the parent asks the gateway. */
export type WatchQuestion = "usage" | "stop";

/** The answer to `usage`. */
export interface Usage {
  /** Resident memory after a garbage collection, in bytes. */
  readonly resident: number;
  readonly heap: number;
  /** Accumulated processor time, in microseconds. */
  readonly cpu: number;
}

const [, , , path, name, bus] = process.argv;
const gateway = await startGateway({
  adapters: [feedService()],
  upstreams: { things: { baseUrl: upstreamArgument(), userAgent: name ?? "gateway" } },
  fastPath: path === "fast",
  watch: { resumeKey: new Secret("a key for the bench, which is no secret") },
  ...(bus !== undefined && { bus: { url: bus } }),
});
await gateway.warm;

/**
 * Collects garbage as `connect-rest serve` does after some idle seconds. Detached streams do not count as
 * calls.
 */
async function usageNow(): Promise<Usage> {
  await collectGarbage();
  const { rss: resident, heapUsed: heap } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { resident, heap, cpu: user + system };
}

process.on("message", (question: WatchQuestion) => {
  if (question === "stop") {
    void gateway.close().finally(() => process.exit());
  } else {
    void usageNow().then((usage) => process.send?.(usage));
  }
});
process.on("disconnect", () => process.exit());
process.send?.(gateway.port);
