import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import type { LimitOptions } from "../limits.ts";
import { createLogger, type Logger } from "../log/logger.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

let server: Server;
afterEach(() => server.close());

async function start(limits: LimitOptions, log?: Logger): Promise<void> {
  const all = { drainNoticeMs: 1, drainGraceMs: 100, ...limits };
  server = await startServer({ ...echoService, limits: all, ...(log && { log }) });
}

test("a call that exceeds callsInFlight gets UNAVAILABLE, but a later call is served", async () => {
  let onLine = () => {};
  const logged = new Promise<void>((resolve) => {
    onLine = resolve;
  });
  await start({ callsInFlight: 1, queueTimeoutMs: 50 }, createLogger("info", { write: () => onLine() }));
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: server.url }));
  const abort = new AbortController();
  const stream = client.repeat({ text: "a" }, { signal: abort.signal })[Symbol.asyncIterator]();
  await stream.next();
  await expect(client.echo({ text: "b" })).rejects.toThrow(
    "[unavailable] the call has waited for queueTimeoutMs, 50 ms, behind others; try again later",
  );
  abort.abort();
  // A call has ended when its line is in the log.
  await logged;
  expect((await client.echo({ text: "c" })).text).toBe("c");
});

test("a connection that exceeds the limit on connections is closed", async () => {
  await start({ connections: 1 });
  const first = net.connect(server.port, "127.0.0.1");
  await new Promise((resolve) => first.once("connect", resolve));
  const second = net.connect(server.port, "127.0.0.1");
  await new Promise((resolve) => second.once("close", resolve).once("error", resolve).resume());
  expect(first.readyState).toBe("open");
  first.destroy();
});

test("HTTP/2 clients receive streamsPerConnection in SETTINGS", async () => {
  await start({ streamsPerConnection: 3 });
  const session = http2.connect(server.url);
  const settings = await new Promise<http2.Settings>((resolve) => session.once("remoteSettings", resolve));
  expect(settings).toMatchObject({ maxConcurrentStreams: 3, maxHeaderListSize: 65_536 });
  session.destroy();
});

test("many rejected calls on one connection do not accumulate listeners", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  await start({});
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (let i = 0; i < 30; i++) {
    const status = await new Promise((resolve, reject) => {
      const options = { agent, method: "POST", headers: { "content-length": 3 } };
      const request = http.request(`${server.url}/nowhere`, options, (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode));
      });
      request.once("error", reject).flushHeaders();
      request.once("response", () => request.end("{ }"));
    });
    expect(status).toBe(404);
  }
  agent.destroy();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
