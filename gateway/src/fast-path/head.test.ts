import type { DescMethod } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { protocolOf } from "../call/protocol.ts";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import type { HttpRequest } from "../listener/http.ts";
import { CLIENT_COMPRESSIONS } from "../rpc/client-compressions.ts";
import { type FastMethods, fastCallOf } from "./fast-call.ts";
import { readHead } from "./head.ts";

const { echo, repeat, join, talk } = EchoService.method;

/**
 * Returns the outcome of reading a head: its codec and compressions, its error, or the HTTP status if the
 * request is not a call.
 */
function told(
  method: DescMethod,
  verb: string,
  version: number,
  headers: Record<string, string>,
  url = "/",
): string | number {
  const request = {
    method: verb,
    headers,
    url,
    ...(version === 2 && { stream: {} }),
  } as unknown as HttpRequest;
  const allowedMethods = method === echo ? ["POST", "GET"] : ["POST"];
  const protocol = protocolOf(headers["content-type"]);
  const head = readHead(request, protocol, { allowedMethods, method }, CLIENT_COMPRESSIONS);
  if (typeof head === "number") return head;
  const { codec, requestCompression, responseCompression, problem } = head;
  return problem?.rawMessage ?? [codec, requestCompression?.name, responseCompression?.name].join(" ").trim();
}

const UNKNOWN = 'unknown compression "x": supported encodings are gzip,br,zstd,deflate';

test.each([
  ["json", echo, "POST", 1, { "content-type": "application/json" }],
  ["json", echo, "POST", 1, { "content-type": "Application/JSON; charset=UTF-8" }],
  ["proto gzip gzip", echo, "POST", 1, { "content-type": "application/proto", "content-encoding": "gzip" }],
  ["proto", echo, "POST", 2, { "content-type": "application/grpc", "grpc-timeout": "1S" }],
  ["json", echo, "POST", 2, { "content-type": "application/grpc+json", "grpc-encoding": "identity" }],
  ["proto", echo, "POST", 1, { "content-type": "application/grpc-web+proto" }],
  ["proto", echo, "POST", 1, { "content-type": "application/grpc" }],
  [415, echo, "POST", 1, { "content-type": "application/grpc-web-text" }],
  [415, echo, "POST", 1, { "content-type": "text/plain" }],
  [415, echo, "POST", 1, { "content-type": "application/connect+json" }],
  [415, echo, "POST", 1, {}],
  [UNKNOWN, echo, "POST", 1, { "content-type": "application/json", "content-encoding": "x" }],
  [
    "protocol error: invalid connect timeout value: 1s",
    echo,
    "POST",
    1,
    { "content-type": "application/json", "connect-timeout-ms": "1s" },
  ],
  [405, echo, "PUT", 1, { "content-type": "application/json" }],
  ["proto", repeat, "POST", 2, { "content-type": "application/grpc" }],
  ["proto", repeat, "POST", 1, { "content-type": "application/connect+proto" }],
  [
    "json  br",
    repeat,
    "POST",
    1,
    { "content-type": "application/connect+json", "connect-accept-encoding": "br" },
  ],
  ["proto gzip gzip", repeat, "POST", 1, { "content-type": "application/grpc-web", "grpc-encoding": "gzip" }],
  ["json", repeat, "POST", 1, { "content-type": "application/connect+json; charset=utf-8" }],
  [415, repeat, "POST", 1, { "content-type": "application/json" }],
  [405, repeat, "GET", 1, { "content-type": "application/connect+proto" }],
  [
    UNKNOWN,
    repeat,
    "POST",
    1,
    { "content-type": "application/connect+proto", "connect-content-encoding": "x" },
  ],
  ["proto", join, "POST", 2, { "content-type": "application/grpc" }],
  ["proto", talk, "POST", 2, { "content-type": "application/grpc" }],
  [505, talk, "POST", 1, { "content-type": "application/grpc" }],
] as const)(
  "reading a head returns %j for the method %s with %s over HTTP/%s and the headers %o",
  (expected, method, verb, version, headers) => {
    expect(told(method, verb, version, headers)).toBe(expected);
  },
);

test.each([
  ["json", "encoding=json&message=%7B%7D"],
  ["proto", "connect=v1&encoding=proto&base64=1&message="],
  [415, "encoding=xml&message="],
  [UNKNOWN, "encoding=json&compression=x&message="],
  ["json", "encoding=json#&encoding=xml"],
  [415, ""],
])("reading a head returns %j for a GET request with the query %j", (expected, query) => {
  expect(told(echo, "GET", 1, {}, `/?${query}`)).toBe(expected);
});

test("unary and server-streaming methods of adapters take the fast path, and other methods do not", () => {
  const head = {
    codec: "json",
    requestCompression: undefined,
    responseCompression: undefined,
    problem: undefined,
  } as const;
  const never = () => Promise.reject(new Error("not called"));
  const all: FastMethods = {
    unaryOf: () => never,
    streamOf: () => ({ call: never as never, isShared: false }),
  };
  const none: FastMethods = { unaryOf: () => undefined, streamOf: () => undefined };
  const kinds = [echo, repeat, join, talk].map((method) => fastCallOf(head, "connect", method, all)?.kind);
  expect(kinds).toEqual(["unary", "stream", undefined, undefined]);
  expect([echo, repeat].map((method) => fastCallOf(head, "connect", method, none))).toEqual([
    undefined,
    undefined,
  ]);
});
