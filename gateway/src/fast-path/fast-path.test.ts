import type { DescMethod } from "@bufbuild/protobuf";
import { compressionGzip } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { protocolOf } from "../call/protocol.ts";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import type { HttpRequest } from "../listener/http.ts";
import { comparable, comparableResponse } from "../testing/comparable.ts";
import { FAST_PATH_CASES, LATE, STREAM_CASES } from "../testing/fast-path-cases.ts";
import { type ObservedWay, startObservedWay, WAY_SETUPS, type WaySetup } from "../testing/observed-ways.ts";
import { respondTalkatively } from "../testing/talkative-upstream.ts";
import { type FastMethods, fastCallOf } from "./fast-call.ts";

let ways: readonly ObservedWay[];

beforeAll(async () => {
  const start = (setup: WaySetup) =>
    startObservedWay(setup, {
      upstream: { retry: { attempts: 3, baseDelayMs: 1, maxDelayMs: 1, budget: 1 } },
      limits: { readMaxBytes: 64 * 1024, writeMaxBytes: 256 * 1024, messageDepth: 20, drainNoticeMs: 1 },
      origins: ["https://page.example"],
    });
  ways = await Promise.all(WAY_SETUPS.map(start));
});
afterAll(() => Promise.all(ways.map((way) => way[Symbol.asyncDispose]())));

test.each([...FAST_PATH_CASES, ...STREAM_CASES])(
  "all ways respond, log and count alike: $name",
  async ({ name, call }) => {
    const all = await Promise.all(ways.map((way) => way.send(call, respondTalkatively)));
    // on a slow machine a deadline may pass before the request is sent
    const isPassed = name.endsWith(LATE) && all.some(({ requests }) => requests.length === 0);
    const [first, ...others] = all.map(isPassed ? comparableResponse : comparable);
    for (const [index, seen] of others.entries()) {
      const way = ways[index + 1]?.name;
      expect({ way, seen }).toEqual({ way, seen: first });
    }
  },
);

const { echo, repeat, join } = EchoService.method;
const unary = () => Promise.reject(new Error("not called"));
const stream = { call: () => Promise.reject(new Error("not called")) as never, isShared: false };
const methods: FastMethods = { unaryOf: () => unary, streamOf: () => stream };
const way = (
  method: DescMethod,
  verb: string,
  version: number,
  headers: Record<string, string>,
  url = "/",
) => {
  const request = {
    method: verb,
    headers,
    url,
    ...(version === 2 && { stream: {} }),
  } as unknown as HttpRequest;
  const call = fastCallOf(request, protocolOf(headers["content-type"]), method, methods, [compressionGzip]);
  return call === undefined ? "connect" : "fast";
};

test.each([
  ["fast", echo, "POST", 1, { "content-type": "application/json" }],
  ["fast", echo, "POST", 1, { "content-type": "application/proto", "content-encoding": "gzip" }],
  ["fast", echo, "POST", 2, { "content-type": "application/grpc", "grpc-timeout": "1S" }],
  ["fast", echo, "POST", 2, { "content-type": "application/grpc+json", "grpc-encoding": "identity" }],
  ["fast", echo, "POST", 1, { "content-type": "application/grpc-web+proto" }],
  ["connect", echo, "POST", 1, { "content-type": "application/grpc" }],
  ["connect", echo, "POST", 1, { "content-type": "application/grpc-web-text" }],
  ["connect", echo, "POST", 1, { "content-type": "text/plain" }],
  ["connect", echo, "POST", 1, {}],
  ["connect", echo, "POST", 1, { "content-type": "application/json", "content-encoding": "zstd" }],
  ["connect", echo, "POST", 1, { "content-type": "application/json", "connect-timeout-ms": "1s" }],
  ["connect", echo, "PUT", 1, { "content-type": "application/json" }],
  ["fast", repeat, "POST", 2, { "content-type": "application/grpc" }],
  ["fast", repeat, "POST", 1, { "content-type": "application/connect+proto" }],
  [
    "fast",
    repeat,
    "POST",
    1,
    { "content-type": "application/connect+json", "connect-accept-encoding": "br" },
  ],
  ["fast", repeat, "POST", 1, { "content-type": "application/grpc-web", "grpc-encoding": "gzip" }],
  ["connect", repeat, "POST", 1, { "content-type": "application/connect+json; charset=utf-8" }],
  ["connect", repeat, "POST", 1, { "content-type": "application/json" }],
  ["connect", repeat, "GET", 1, { "content-type": "application/connect+proto" }],
  [
    "connect",
    repeat,
    "POST",
    1,
    { "content-type": "application/connect+proto", "connect-content-encoding": "x" },
  ],
  ["connect", join, "POST", 2, { "content-type": "application/grpc" }],
] as const)(
  "the way of a call is %s for %s by %s over HTTP/%s with %o",
  (expected, method, verb, version, headers) => {
    expect(way(method, verb, version, headers)).toBe(expected);
  },
);

test.each([
  ["fast", "encoding=json&message=%7B%7D"],
  ["fast", "connect=v1&encoding=proto&base64=1&message="],
  ["connect", "encoding=xml&message="],
  ["connect", "encoding=json&compression=zstd&message="],
  ["connect", ""],
])("the way of a call is %s for a GET with %j", (expected, query) => {
  expect(way(echo, "GET", 1, {}, `/?${query}`)).toBe(expected);
});

test("the way of a call is connect's for a method without an adapter", () => {
  const request = { method: "POST", headers: { "content-type": "application/json" } } as HttpRequest;
  const none: FastMethods = { unaryOf: () => undefined, streamOf: () => undefined };
  expect(fastCallOf(request, "connect", echo, none, [])).toBeUndefined();
});
