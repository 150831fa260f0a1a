import http from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A sandbox for `echo-rest.ts`. It responds to each request with its body; `late` in the body delays the
 * response by a second.
 */
const server = http.createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const answer = () => response.setHeader("content-type", "application/json").end(body);
  if (body.includes("late")) {
    setTimeout(answer, 1000);
  } else {
    answer();
  }
});

process.on("SIGTERM", () => undefined).on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit(0));
server.listen(Number(process.env.SANDBOX_PORT ?? 0), "127.0.0.1", () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.stdout.write(`sandbox ready on ${url}\n`);
  process.send?.({
    type: "ready",
    url,
    upstreams: { echo: { baseUrl: url, credentials: { apiKey: "key" } } },
  });
});
