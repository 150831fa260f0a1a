import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Gateway, startGateway } from "connect-rest-gateway";
import { Secret } from "connect-rest-runtime";
import { LineQueue } from "../../gateway/src/log/line-queue.ts";
import { createLogger } from "../../gateway/src/log/logger.ts";
import { fileSink, LOG_LINES } from "../../gateway/src/log/standard-streams.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { upstreamArgument } from "./child.ts";

/** Starts the gateway with its defaults, a log of every call in a file, and metrics. */
export async function startMeasuredGateway(): Promise<Gateway> {
  const directory = mkdtempSync(join(tmpdir(), "connect-rest-bench-"));
  process.on("exit", () => rmSync(directory, { recursive: true }));
  const log = createLogger("info", new LineQueue(fileSink(openSync(join(directory, "log"), "w")), LOG_LINES));
  const gateway = await startGateway({
    adapters: [PostServiceRest],
    upstreams: {
      blog: { bases: { api: upstreamArgument() }, credentials: { apiKey: new Secret("bench") } },
    },
    metrics: { port: 0 },
    // Never rejects calls because of event-loop delay.
    limits: { eventLoopDelayMs: 60_000 },
    log,
  });
  await gateway.warm;
  return gateway;
}
