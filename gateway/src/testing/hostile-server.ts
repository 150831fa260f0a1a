import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { LimitOptions } from "../limits.ts";
import { startServer } from "../server.ts";
import { echoService } from "./echo.ts";
import { selfSigned } from "./self-signed.ts";

/**
 * Runs the echo service in a separate process, in cleartext and over TLS, with short limits. Any uncaught
 * error ends the process. Responds to messages from its parent with the number of its open sockets and its
 * memory in bytes. Limits in the environment, as JSON, override the short limits.
 */
const own: LimitOptions = {
  // tests must not depend on the load of the machine
  eventLoopDelayMs: 60_000,
  headersTimeoutMs: 300,
  bodyIdleTimeoutMs: 200,
  idleTimeoutMs: 300,
  unaryDeadlineMs: 500,
  streamDeadlineMs: 500,
  resetsPerSecond: 20,
  stalledWriteMs: 300,
};
const given: LimitOptions = JSON.parse(process.env.HOSTILE_LIMITS ?? "{}");
const limits = { ...own, ...given };
const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-hostile-"));
const tls = { certificate: path.join(directory, "tls.crt"), key: path.join(directory, "tls.key") };
const pair = selfSigned();
writeFileSync(tls.certificate, pair.certificate);
writeFileSync(tls.key, pair.key);
const server = await startServer({ ...echoService, limits });
const secure = await startServer({ ...echoService, limits, tls });
rmSync(directory, { recursive: true });
await Promise.all([server.warm, secure.warm]);
process.on("message", () => {
  const sockets = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
  process.send?.({ sockets, rss: process.memoryUsage.rss(), heap: process.memoryUsage().heapUsed });
});
process.on("disconnect", () => process.exit(0));
process.send?.({ port: server.port, tlsPort: secure.port });
