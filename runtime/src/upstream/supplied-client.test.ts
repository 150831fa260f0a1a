import { afterEach, expect, test, vi } from "vitest";
import type { FetchInit } from "../http/fetch-function.ts";
import { clientOfPlatform } from "./supplied-client.ts";

const invalid = (...problem: string[]) => new Error(problem.join(": "));

afterEach(() => vi.unstubAllGlobals());

test("without connections of the runtime, requests use the platform's fetch, and TLS options are rejected", async () => {
  const client = clientOfPlatform({}, invalid, true);
  const response = new Response();
  const init: FetchInit = {
    method: "GET",
    headers: [],
    redirect: "manual",
    credentials: "omit",
    signal: AbortSignal.timeout(1_000),
  };
  const platform = vi.fn(async () => response);
  vi.stubGlobal("fetch", platform);
  expect(client?.kind === "fetch" && (await client.fetch("http://a.test", init))).toBe(response);
  expect(platform.mock.calls).toEqual([["http://a.test", init]]);
  for (const options of [{ tls: { ca: "x" } }, { proxy: { url: "http://proxy.test" } }]) {
    expect(() => clientOfPlatform(options, invalid, true)).toThrow(`${Object.keys(options)[0]}: none beside`);
  }
});

test("on Node.js, requests use the runtime's own connections", () => {
  expect(clientOfPlatform({}, invalid)).toBeUndefined();
  expect(clientOfPlatform({ tls: { ca: "x" } }, invalid)).toBeUndefined();
});

test("on Cloudflare Workers, requests use the platform's fetch", () => {
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  expect(clientOfPlatform({}, invalid)?.kind).toBe("fetch");
});
