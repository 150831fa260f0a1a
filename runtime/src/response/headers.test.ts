import { expect, test } from "vitest";
import { passHeaders } from "./headers.ts";

test("passes on limits, ids and notices, and nothing about the body, the connection or the session", () => {
  const passed = passHeaders({
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
  });
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
