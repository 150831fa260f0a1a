import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../text/secret.ts";
import { passHeaders } from "./headers.ts";

test("callers receive headers with limits, ids and notices, but no headers about the body, the connection or the session", () => {
  const { headers: passed } = passHeaders(
    {
      "x-ratelimit-perhour-remaining": "3",
      ratelimit: "limit=5",
      "x-rate-limit-reset": "9",
      "retry-after": "5",
      "x-request-id": ["a", "b"],
      deprecation: "@1",
      "set-cookie": ["a=b"],
      "content-type": "application/json",
      "content-encoding": "gzip",
      connection: "close",
      etag: '"x"',
      "x-ratelimit-odd": "a\u0001b",
      "grpc-status": "0",
      sunset: undefined,
    },
    { secrets: () => [] },
  );
  expect(Object.fromEntries(passed)).toEqual({
    "x-ratelimit-perhour-remaining": "3",
    ratelimit: "limit=5",
    "x-rate-limit-reset": "9",
    "retry-after": "5",
    "x-request-id": "a,b",
    deprecation: "@1",
    "x-ratelimit-odd": "a b",
  });
});

test("headers that cannot be sent are dropped and counted", () => {
  const { headers, dropped } = passHeaders(
    {
      "x-ratelimit-a": "x".repeat(501),
      "x-ratelimit-b": "f\u00fcnf",
      "x-ratelimit-c": "\u20ac",
      "x-ratelimit-d": "4",
      "x-other": "\u00fc",
    },
    { secrets: () => [] },
  );
  expect([Object.fromEntries(headers), dropped]).toEqual([{ "x-ratelimit-d": "4" }, 3]);
});

test("a header whose name contains a secret is dropped and counted", () => {
  const tokens = fc
    .stringMatching(/^[a-z0-9]{1,40}$/)
    .filter((text) => !/^(?:x|rate|limit|ratelimit|reset)$/.test(text));
  const names = fc.constantFrom("ratelimit-", "x-ratelimit-", "x-rate-limit-", "x-ratelimit-reset-");
  fc.assert(
    fc.property(tokens, names, fc.constantFrom("", "-reset"), (token, before, behind) => {
      for (const sent of [token, token.toUpperCase()]) {
        const headers = { [`${before}${token}${behind}`]: "1", "retry-after": "x" };
        const passed = passHeaders(headers, { secrets: () => [new Secret(sent)] });
        expect([...passed.headers.keys(), passed.dropped]).toEqual(["retry-after", 1]);
      }
    }),
  );
});

test("the secrets that were sent are redacted in headers", () => {
  const secrets = [new Secret("hunter22/x")];
  const { headers } = passHeaders(
    { "x-request-id": "a-hunter22%2Fx", "retry-after": "5" },
    { secrets: () => secrets },
  );
  expect(Object.fromEntries(headers)).toEqual({ "x-request-id": "a-[secret]", "retry-after": "5" });
});
