import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Secret } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { LAST_LINES_MS } from "./cli/output.ts";
import { TELEMETRY_MS } from "./cli/serve.ts";
import { LiveUpstreams } from "./config/live-upstreams.ts";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { isReloaded, LIMIT_NAMES, LIMIT_TABLE, LiveLimits, withDefaultLimits } from "./limits.ts";
import { startServer } from "./server.ts";

test("a reload changes the limits marked as reloadable, and no others", () => {
  const before = withDefaultLimits();
  const after = withDefaultLimits(Object.fromEntries(LIMIT_NAMES.map((name) => [name, before[name] + 1])));
  const live = new LiveLimits(before);
  live.reload(after);
  for (const name of LIMIT_NAMES) expect(live.current[name]).toBe((isReloaded(name) ? after : before)[name]);
});

test("by default, a shutdown is announced for 5 seconds, or not at all on loopback, and takes at most 25 seconds", () => {
  expect(withDefaultLimits().drainNoticeMs).toBe(5000);
  expect(withDefaultLimits().drainGraceMs + TELEMETRY_MS + LAST_LINES_MS).toBeLessThanOrEqual(25_000);
  expect(withDefaultLimits({}, true).drainNoticeMs).toBe(0);
  expect(withDefaultLimits({ drainNoticeMs: 7 }, true).drainNoticeMs).toBe(7);
  const { drainNoticeMs, drainStreamsMs, drainGraceMs } = LIMIT_TABLE;
  expect(drainNoticeMs.default + drainStreamsMs.default).toBeLessThan(drainGraceMs.default);
});

test("reloaded limits apply to the next request", async () => {
  const server = await startServer({
    routes: (router) => router.service(EchoService, { echo: ({ text }) => ({ text }) }),
  });
  const { echo } = createClient(EchoService, createGrpcTransport({ baseUrl: server.url }));
  const status = async () => (await fetch(`${server.url}/${"x".repeat(100)}`)).status;
  expect(await status()).toBe(404);
  expect((await echo({ text: "a" })).text).toBe("a");
  server.reload({ limits: { urlBytes: 50, callsPerClient: 1, queuedCalls: 1 } });
  expect(await status()).toBe(414);
  server.reload({});
  expect(await status()).toBe(404);
  expect((await echo({ text: "a" })).text).toBe("a");
  await server.close();
});

const context = { method: EchoService.method.echo, header: new Headers() };

test("replaced credentials apply to the next attempt, and other settings of an upstream do not change", async () => {
  const baseUrl = "http://127.0.0.1:1";
  const live = new LiveUpstreams({
    fixed: { baseUrl, credentials: { apiKey: new Secret("one") } },
    none: { baseUrl },
    brought: { baseUrl, credentials: () => ({ apiKey: new Secret("one") }) },
    gone: { baseUrl, credentials: { apiKey: new Secret("one") } },
  });
  const keys = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(live.options).map(async ([name, { credentials }]) => {
          const { apiKey } =
            typeof credentials === "function" ? await credentials(context) : (credentials ?? {});
          return [name, apiKey && Secret.of(apiKey).reveal()];
        }),
      ),
    );
  expect(await keys()).toEqual({ fixed: "one", none: undefined, brought: "one", gone: "one" });
  live.reload({
    fixed: { baseUrl: "http://other.example", credentials: { apiKey: new Secret("two") } },
    none: { baseUrl, credentials: { apiKey: new Secret("two") } },
    brought: { baseUrl, credentials: () => ({ apiKey: new Secret("two") }) },
    new: { baseUrl, credentials: { apiKey: new Secret("two") } },
  });
  expect(await keys()).toEqual({ fixed: "two", none: "two", brought: "two", gone: "one" });
  expect(live.options.fixed?.baseUrl).toBe(baseUrl);
});
