import { startServer } from "../server.ts";
import { echoService } from "./echo.ts";

/**
 * The echo service in a process of its own, with short limits and nothing that catches stray errors: one of them ends
 * it. Asked for anything by its parent, it responds with its open sockets and its memory in bytes.
 */
const server = await startServer({
  ...echoService,
  limits: {
    headersTimeoutMs: 300,
    bodyIdleTimeoutMs: 200,
    idleTimeoutMs: 300,
    unaryDeadlineMs: 500,
    streamDeadlineMs: 500,
    resetsPerSecond: 20,
    stalledWriteMs: 300,
  },
});
await server.warm;
process.on("message", () => {
  const sockets = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  process.send?.({ sockets, rss: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit(0));
process.send?.({ port: server.port });
