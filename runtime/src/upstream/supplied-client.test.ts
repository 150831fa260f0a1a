import { expect, test } from "vitest";
import { clientOfPlatform } from "./supplied-client.ts";

const invalid = (...problem: string[]) => new Error(problem.join(": "));

test("on Bun, requests use Bun's fetch, so TLS options and a proxy are rejected", () => {
  expect(clientOfPlatform({}, invalid, true)).toEqual({ kind: "fetch", fetch });
  expect(clientOfPlatform({ tls: { ca: "x" } }, invalid, false)).toBeUndefined();
  for (const options of [{ tls: { ca: "x" } }, { proxy: { url: "http://proxy.test" } }]) {
    expect(() => clientOfPlatform(options, invalid, true)).toThrow(`${Object.keys(options)[0]}: none beside`);
  }
});

test("on Node.js, requests use the runtime's own connections", () => {
  expect(clientOfPlatform({}, invalid)).toBeUndefined();
});
