import { once } from "node:events";
import http2 from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoRequestSchema, EchoResponseSchema, EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Server, startServer } from "../server.ts";
import { echoRoutes, echoService } from "../testing/echo.ts";
import { exchange, parseAnswer } from "../testing/raw.ts";
import { rawClient } from "../testing/raw-call.ts";
import { envelopes } from "./envelope.ts";

let server: Server;
let busy: Server;
let full: Server;
let connectPath: Server;
const bytes = toBinary(EchoResponseSchema, create(EchoResponseSchema, { text: "a" }));
beforeAll(async () => {
  const trailer = new Headers({ "x-trailer": "of the handler", "x-trailer-bin": "AAEC" });
  const unaryOf = (method: object) =>
    method === EchoService.method.echo
      ? () => Promise.resolve({ bytes, header: new Headers({ "x-header": "of the handler" }), trailer })
      : undefined;
  const limits = { drainNoticeMs: 1, drainGraceMs: 50 };
  server = await startServer({ ...echoService, unaryOf, limits });
  connectPath = await startServer({ routes: echoRoutes, limits });
  const load = () => ({ eventLoopDelayMs: 0, heapPercent: 100 });
  busy = await startServer({ ...echoService, load, limits: { ...limits, heapPercent: 1 } });
  full = await startServer({ ...echoService, limits: { ...limits, requestsInFlight: 1 } });
  // the gateway samples its heap only periodically
  while ((await h2(busy.port, { ...grpc, ":path": ECHO })).head["grpc-status"] !== "14");
});
afterAll(() => Promise.all([server, busy, full, connectPath].map((each) => each.close())));

const ECHO = "/echo.v1.EchoService/Echo";
const REPEAT = "/echo.v1.EchoService/Repeat";

/**
 * Sends a request over HTTP/2; the result also says whether the response's HEADERS frame ended the stream.
 */
async function h2(port: number, headers: http2.OutgoingHttpHeaders, body: Uint8Array = Buffer.alloc(0)) {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const stream = session.request({ ":method": "POST", ...headers });
  stream.on("error", () => undefined).resume();
  stream.end(body);
  const [head, flags] = await once(stream, "response");
  let length = 0;
  stream.on("data", (chunk: Uint8Array) => {
    length += chunk.length;
  });
  await once(stream, "close");
  session.destroy();
  return { head, isTrailersOnly: (flags & 1) === 1, length };
}

const grpc = { "content-type": "application/grpc", te: "trailers" };
const long = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x-${i}`, "x".repeat(1000)]));
const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x-${i}`, "1"]));
const malformed = envelopes([0, Buffer.from("junk")]);
const large = envelopes([0, Buffer.alloc(5 * 1024 * 1024)]);
const lie = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 1]);

interface Case {
  readonly name: string;
  readonly headers: http2.OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  readonly on?: () => Server;
  readonly code: number;
}
const CASES: readonly Case[] = [
  { name: "an unknown method", headers: { ":path": "/echo.v1.EchoService/None" }, code: 12 },
  { name: "an unknown service", headers: { ":path": "/a.B/C" }, code: 12 },
  { name: "the path of a page", headers: { ":path": "/healthz" }, code: 12 },
  { name: "the console", headers: { ":path": "/" }, code: 12 },
  { name: "headers that are too long", headers: { ":path": ECHO, ...long }, code: 8 },
  { name: "too many headers", headers: { ":path": ECHO, ...many }, code: 8 },
  { name: "a path that is too long", headers: { ":path": `/${"x".repeat(9000)}` }, code: 8 },
  { name: "a malformed host", headers: { ":path": ECHO, ":authority": "a%b" }, code: 3 },
  { name: "an expectation", headers: { ":path": ECHO, expect: "more" }, code: 12 },
  { name: "an unsupported HTTP method", headers: { ":method": "PUT", ":path": ECHO }, code: 12 },
  { name: "an unknown codec", headers: { ":path": ECHO, "content-type": "application/grpc+x" }, code: 12 },
  {
    name: "an unknown compression",
    headers: { ":path": ECHO, "grpc-encoding": "x" },
    body: malformed,
    code: 12,
  },
  { name: "no message", headers: { ":path": ECHO }, code: 12 },
  { name: "a malformed message", headers: { ":path": ECHO }, body: malformed, code: 3 },
  {
    name: "a malformed message on the other path",
    headers: { ":path": ECHO },
    body: malformed,
    on: () => connectPath,
    code: 3,
  },
  { name: "a malformed message of a stream", headers: { ":path": REPEAT }, body: malformed, code: 3 },
  { name: "a message that is too large", headers: { ":path": ECHO }, body: large, code: 8 },
  {
    name: "a message that is too large on the other path",
    headers: { ":path": ECHO },
    body: large,
    on: () => connectPath,
    code: 8,
  },
  { name: "a message of a stream that is too large", headers: { ":path": REPEAT }, body: large, code: 8 },
  { name: "a length above the limit", headers: { ":path": ECHO }, body: lie, code: 8 },
  {
    name: "a deadline",
    headers: { ":path": ECHO, "grpc-timeout": "0n" },
    body: envelopes([0, bytes]),
    code: 4,
  },
  { name: "overload", headers: { ":path": ECHO }, body: envelopes([0, bytes]), on: () => busy, code: 14 },
];

test.each(CASES)(
  "for gRPC, the error for $name is in headers that end the stream",
  async ({ headers, body, on, code }) => {
    const respond = () => h2((on?.() ?? server).port, { ...grpc, ...headers }, body);
    let response = await respond();
    // an overloaded gateway serves one call of ten
    while (code === 14 && response.head["grpc-status"] === undefined) response = await respond();
    const { head, isTrailersOnly, length } = response;
    expect(head).toMatchObject({ ":status": 200, "grpc-status": String(code) });
    expect(head["content-type"]).toMatch(/^application\/grpc/);
    expect(head["grpc-message"]).not.toMatch(/%(?!25|[0189A-F])/);
    expect([isTrailersOnly, length]).toEqual([true, 0]);
  },
);

test("for gRPC, the error for too many requests is in headers that end the stream", async () => {
  const session = http2.connect(full.url);
  const held = session.request({ ":method": "POST", ":path": "/echo.v1.EchoService/Talk", ...grpc });
  held.on("error", () => undefined);
  await new Promise((resolve) => session.ping(resolve));
  const { head, isTrailersOnly } = await h2(full.port, { ...grpc, ":path": ECHO });
  expect(head).toMatchObject({ ":status": 200, "grpc-status": "14" });
  expect(isTrailersOnly).toBe(true);
  const bare = await h2(full.port, { ":path": ECHO, "content-type": "application/json" });
  expect(bare).toMatchObject({
    head: { ":status": 503, "retry-after": "1" },
    isTrailersOnly: true,
    length: 0,
  });
  session.destroy();
});

const readHead = (head: string) =>
  Object.fromEntries(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => line.toLowerCase().split(": ", 2)),
  );

test("for gRPC, the error for a deadline that passes in the queue is in headers that end the stream", async () => {
  const limits = { callsInFlight: 1, queueTimeoutMs: 60_000, drainNoticeMs: 1, drainGraceMs: 50 };
  const queue = await startServer({ ...echoService, limits });
  const session = http2.connect(queue.url);
  const held = session.request({ ":method": "POST", ":path": "/echo.v1.EchoService/Talk", ...grpc });
  held.on("error", () => undefined);
  const empty = envelopes([0, new Uint8Array()]);
  held.write(empty);
  // the call runs once its first message has been returned
  await once(held, "response");
  const headers = { ...grpc, ":path": ECHO, "grpc-timeout": "20m" };
  const { head, isTrailersOnly } = await h2(queue.port, headers, empty);
  expect([head["grpc-status"], isTrailersOnly]).toEqual(["4", true]);
  session.destroy();
  await queue.close();
});

/** Header names that describe their values, for use in test names. */
const LONG = "a-header-of-20000-bytes";
const LONGER = "a-header-of-200000-bytes";
const lineOf = (header: string) => {
  const [, size] = /-(\d+)-bytes$/.exec(header) ?? [];
  return size === undefined ? header : `x: ${"x".repeat(Number(size))}`;
};

test.each([
  ["PUT", "content-type: application/json", 405, "allow", "post, get"],
  ["DELETE", "x: y", 405, "allow", "post, get"],
  ["POST", "content-type: text/plain", 415, "accept-post", expect.stringContaining("application/grpc")],
  ["POST", "x: y", 415, "accept-post", expect.stringContaining("application/json")],
  ["POST", LONG, 431, "content-type", "text/plain; charset=utf-8"],
  ["POST", LONGER, 431, "content-type", "text/plain; charset=utf-8"],
  ["CONNECT", "x: y", 405, "allow", expect.stringContaining("post")],
  ["POST", "expect: more", 417, "content-type", "text/plain; charset=utf-8"],
])(
  "a request of an unknown protocol, %s with %s, gets plain text and the status %i with the header %s",
  async (verb, header, status, name, value) => {
    const target = verb === "CONNECT" ? "a:1" : ECHO;
    const request = `${verb} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lineOf(header)}\r\n\r\n`;
    const answer = parseAnswer(await exchange(server.port, request));
    const headers = readHead(answer.head);
    expect([answer.status, headers[name]]).toEqual([status, value]);
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(answer.body).toMatch(/^[^{]+\n$/);
  },
);

test("a Connect request with oversized headers gets a Connect error", async () => {
  const head = `Host: a\r\nConnection: close\r\nContent-Type: application/json\r\nx: ${"x".repeat(20_000)}`;
  const answer = parseAnswer(await exchange(server.port, `POST ${ECHO} HTTP/1.1\r\n${head}\r\n\r\n`));
  expect(answer).toMatchObject({ status: 431, body: { code: "resource_exhausted" } });
});

const request = toBinary(EchoRequestSchema, create(EchoRequestSchema));
const send = async (contentType: string, body: Uint8Array) => {
  const client = rawClient(server.port);
  const headers = { "content-type": contentType, te: "trailers" };
  const response = await client.send({ version: "2", method: "POST", path: ECHO, headers, body });
  client.close();
  return response;
};

test("on the fast path, the trailers of a handler reach a gRPC client", async () => {
  const { headers, trailers } = await send("application/grpc", envelopes([0, request]));
  expect(headers).toMatchObject({ "x-header": "of the handler" });
  expect(trailers).toMatchObject({
    "grpc-status": "0",
    "x-trailer": "of the handler",
    "x-trailer-bin": "AAEC",
  });
});

test("on the fast path, the trailers of a handler reach a gRPC-Web client", async () => {
  const { body } = await send("application/grpc-web+proto", envelopes([0, request]));
  expect(body.toString("latin1")).toMatch(/grpc-status: 0\r\n.*x-trailer: of the handler\r\n/s);
});

test("on the fast path, the trailers of a handler reach a Connect client", async () => {
  const { headers } = await send("application/proto", request);
  expect(headers).toMatchObject({ "trailer-x-trailer": "of the handler", "x-header": "of the handler" });
});

test("a stream sends the headers that its handler has set before its status, not together with the status", async () => {
  const failing = await startServer({
    routes: (router) =>
      router.service(EchoService, {
        // biome-ignore lint/correctness/useYield: it fails before its first message
        async *repeat({ text }, { responseHeader }) {
          if (text !== "") responseHeader.set("x-header", text);
          throw new ConnectError("as it should", Code.Aborted);
        },
      }),
  });
  const fail = (text: string) => {
    const body = toBinary(EchoRequestSchema, create(EchoRequestSchema, { text }));
    return h2(failing.port, { ":path": REPEAT, ...grpc }, envelopes([0, body]));
  };
  expect(await fail("a")).toMatchObject({ head: { "x-header": "a" }, isTrailersOnly: false });
  expect(await fail("")).toMatchObject({ head: { "grpc-status": "10" }, isTrailersOnly: true });
  await failing.close();
});
