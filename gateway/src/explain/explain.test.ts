import http from "node:http";
import type { AddressInfo } from "node:net";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { reasonOf } from "connect-rest-runtime";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  Decoder,
  type ExplainRequestSchema,
  ExplainService,
} from "../gen/connectrest/explain/v1/explain_pb.ts";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../index.ts";
import { createLogger } from "../log/logger.ts";
import { EchoStreamsRest } from "../testing/echo-streams-rest.ts";

const ECHO = "echo.v1.EchoService/Echo";
const REPEAT = "echo.v1.EchoService/Repeat";

let upstream: http.Server;
let baseUrl: string;
/** How the upstream responds. */
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
let received: http.IncomingMessage[] = [];
let lines: Record<string, unknown>[] = [];
const gateways: Gateway[] = [];

beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received.push(request);
    answer(request.resume(), response);
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterEach(async () => {
  received = [];
  lines = [];
  upstream.closeAllConnections();
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close({ skipNotice: true })));
});
afterAll(() => {
  upstream.close();
});

const text = (response: http.ServerResponse) =>
  response.setHeader("content-type", "application/json").end('{"text":"from upstream"}');

/** Starts a gateway with the echo service, and returns a function that explains calls. */
async function start(options: Partial<GatewayOptions> = {}, upstreamOptions: object = {}) {
  answer = (_request, response) => text(response);
  const gateway = await startGateway({
    adapters: [EchoStreamsRest],
    upstreams: { echo: { baseUrl, credentials: { apiKey: "s3cret-key" }, ...upstreamOptions } },
    explain: true,
    log: createLogger("info", { write: (line: string) => lines.push(JSON.parse(line)) }),
    ...options,
  });
  gateways.push(gateway);
  return gateway;
}

type Request = MessageInitShape<typeof ExplainRequestSchema>;

const TRANSPORTS: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ["Connect", (url) => createConnectTransport({ baseUrl: url, httpVersion: "1.1" })],
  ["gRPC", (url) => createGrpcTransport({ baseUrl: url })],
  ["gRPC-Web", (url) => createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" })],
];

const clientOf = (gateway: Gateway) =>
  createClient(ExplainService, createGrpcTransport({ baseUrl: gateway.url }));
const explain = (gateway: Gateway, request: Request, options = {}) =>
  clientOf(gateway).explain({ method: ECHO, message: '{"text":"hi"}', ...request }, options);

async function failure(call: Promise<unknown>) {
  const error: unknown = await call.catch((cause: unknown) => cause);
  if (!(error instanceof ConnectError)) throw new Error("the call did not fail");
  return [Code[error.code], reasonOf(error), error.rawMessage];
}

test("without the console, no explanations are served by default", async () => {
  const gateway = await start({ console: false, explain: undefined });
  const response = await fetch(`${gateway.url}/${ExplainService.typeName}/Explain`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "unimplemented" });
});

test("the service is listed by reflection, and not among the services of the APIs", async () => {
  const gateway = await start();
  const reflection = createClient(ServerReflection, createGrpcTransport({ baseUrl: gateway.url }));
  const messageRequest = { case: "listServices" as const, value: "" };
  for await (const { messageResponse } of reflection.serverReflectionInfo(
    (async function* () {
      yield { messageRequest };
    })(),
  )) {
    const listed = messageResponse.case === "listServicesResponse" ? messageResponse.value.service : [];
    expect(listed.map(({ name }) => name)).toContain(ExplainService.typeName);
  }
  expect(gateway.services.map(({ typeName }) => typeName)).toEqual([EchoService.typeName]);
});

test.each(TRANSPORTS)("by %s, a dry run sends nothing and hides credentials", async (_, transport) => {
  const gateway = await start();
  const client = createClient(ExplainService, transport(gateway.url));
  const response = await client.explain({ method: ECHO, message: '{"text":"hi"}' });
  expect(received).toEqual([]);
  expect(response).toMatchObject({
    method: ECHO,
    upstream: "echo",
    sent: false,
    firstMessageOnly: false,
    decoder: Decoder.UNSPECIFIED,
    requests: [
      {
        verb: "POST",
        url: `${baseUrl}/echo`,
        body: { bytes: 13n, text: '{"text":"hi"}', incomplete: false },
        credentials: "api_key",
        retry: false,
      },
    ],
  });
  const [request] = response.requests;
  expect(request?.response).toBeUndefined();
  expect(request?.headers).toContainEqual(
    expect.objectContaining({ name: "content-type", value: "application/json" }),
  );
  expect(request?.headers.find(({ name }) => name === "x-api-key")?.value).toBeUndefined();
  expect(response.text).toContain(`> POST ${baseUrl}/echo`);
  expect(response.curl).toContain("curl --globoff -X POST");
  expect(JSON.stringify(request?.headers) + response.text + response.curl).not.toContain("s3cret");
});

test("a call that may change data is sent only with a confirmation", async () => {
  const gateway = await start();
  expect(await failure(explain(gateway, { method: REPEAT, send: true }))).toEqual([
    "FailedPrecondition",
    "CONFIRMATION_MISSING",
    `${REPEAT} sends POST and may change data; set confirm to send it`,
  ]);
  expect(received).toEqual([]);
  const response = await explain(gateway, { method: REPEAT, send: true, confirm: true });
  expect(received.map(({ url }) => url)).toEqual(["/repeat"]);
  expect(response).toMatchObject({ sent: true, requests: [{ response: { status: 200 } }] });
});

test("a call of a method without side effects is sent without a confirmation", async () => {
  const gateway = await start();
  const response = await explain(gateway, { send: true });
  expect(received.map(({ headers }) => headers["x-api-key"])).toEqual(["s3cret-key"]);
  expect(response).toMatchObject({ sent: true, requests: [{ response: { status: 200, bytes: 24n } }] });
  const { time, headTime } = response.requests[0]?.response ?? {};
  const ms = [headTime, time].map((each) => (each === undefined ? Number.NaN : durationMs(each)));
  expect(ms[1]).toBeGreaterThanOrEqual(ms[0] ?? Number.NaN);
  expect([Decoder.WEBASSEMBLY, Decoder.JAVASCRIPT]).toContain(response.decoder);
  expect(response.text).toContain("< 200 (24 bytes");
});

test("a sent call has a log line and metrics of its method, with the request ID of the explanation", async () => {
  const gateway = await start();
  const headers = { "x-request-id": "explained-1" };
  await explain(gateway, { send: true, confirm: true }, { headers });
  const calls = lines.filter(({ msg }) => msg === "call");
  expect(calls.map(({ method }) => method)).toEqual([ECHO, `${ExplainService.typeName}/Explain`]);
  expect(calls[0]).toMatchObject({
    code: "ok",
    upstreamStatus: 200,
    attempts: 1,
    requestId: "explained-1",
    protocol: "grpc",
  });
  expect(calls[1]?.attempts).toBeUndefined();
  const counted = JSON.stringify(await gateway.metrics());
  expect(counted).toContain(ECHO);
  await explain(gateway, {});
  expect(lines.filter(({ method }) => method === ECHO)).toHaveLength(1);
});

test("the explanation of a failed call contains its error, and the log line has its code", async () => {
  const gateway = await start();
  answer = (_request, response) => response.writeHead(404, { "content-type": "application/json" }).end("{}");
  const { error, requests, sent } = await explain(gateway, { send: true, confirm: true });
  expect(sent).toBe(true);
  expect(error).toMatchObject({ code: "not_found", reason: expect.stringMatching(/^[A-Z_]+$/) });
  expect(requests[0]?.response?.status).toBe(404);
  expect(lines.find(({ method }) => method === ECHO)).toMatchObject({ code: "not_found" });
});

test("only the first message of a stream is requested", async () => {
  const gateway = await start();
  let isClosed = new Promise<void>(() => undefined);
  answer = (request, response) => {
    isClosed = new Promise((resolve) => request.once("close", () => resolve()));
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write('{"text":"one"}\n{"text":"two"}\n');
  };
  const response = await explain(gateway, { method: REPEAT, send: true, confirm: true });
  expect(response).toMatchObject({ sent: true, firstMessageOnly: true, requests: [{ verb: "POST" }] });
  await isClosed;
});

test.each<[string, Request, [string, string]]>([
  ["an unknown method", { method: "echo.v1.EchoService/Ech" }, ["NotFound", "METHOD_UNKNOWN"]],
  ["a method without an adapter", { method: "echo.v1.EchoService/Join" }, ["NotFound", "METHOD_UNKNOWN"]],
  ["the service itself", { method: `${ExplainService.typeName}/Explain` }, ["NotFound", "METHOD_UNKNOWN"]],
  ["no method", { method: "" }, ["InvalidArgument", "REQUEST_INVALID"]],
  ["invalid JSON", { message: "{" }, ["InvalidArgument", "REQUEST_MALFORMED"]],
  ["a value of another type", { message: '{"text":1}' }, ["InvalidArgument", "REQUEST_MALFORMED"]],
  [
    "a message that violates its constraints",
    { message: '{"count":-1}' },
    ["InvalidArgument", "REQUEST_INVALID"],
  ],
  [
    "a message with too many values",
    { message: `${'{"text":"a","inner":'.repeat(15)}{}${"}".repeat(15)}` },
    ["ResourceExhausted", "REQUEST_TOO_LARGE"],
  ],
  [
    "a message that is nested too deeply",
    { message: `${'{"inner":'.repeat(7)}{}${"}".repeat(7)}` },
    ["InvalidArgument", "REQUEST_MALFORMED"],
  ],
])("the explanation of %s fails, whether it is sent or not", async (_, request, expected) => {
  const gateway = await start({ limits: { messageDepth: 5, messageCost: 100 } });
  for (const send of [false, true]) {
    const [code, reason] = await failure(explain(gateway, { ...request, send, confirm: true }));
    expect([code, reason]).toEqual(expected);
  }
  expect(received).toEqual([]);
});

test("a sent call needs a slot of its upstream, and a dry run needs none", async () => {
  const gateway = await start({}, { callsInFlight: 1 });
  const held = new Promise<http.ServerResponse>((resolve) => {
    answer = (_request, response) => resolve(response);
  });
  const first = createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url })).echo({ text: "a" });
  const response = await held;
  expect((await explain(gateway, {})).sent).toBe(false);
  const [code] = await failure(explain(gateway, { send: true, confirm: true }, { timeoutMs: 300 }));
  expect(code).toBe("DeadlineExceeded");
  expect(received).toHaveLength(1);
  text(response);
  await first;
  answer = (_request, other) => text(other);
  expect((await explain(gateway, { send: true, confirm: true })).sent).toBe(true);
});

test("as many explanations as there are slots can send their calls at the same time", async () => {
  const gateway = await start({ limits: { callsInFlight: 2, callsPerClient: 2 } });
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => explain(gateway, { send: true, confirm: true }, { timeoutMs: 5000 })),
  );
  expect(responses.map(({ sent }) => sent)).toEqual(Array.from({ length: 8 }, () => true));
  expect(gateway.calls()).toBe(0);
});

test("the deadline of the explanation bounds the sent call, whose request is still explained", async () => {
  const gateway = await start();
  answer = () => undefined;
  const { error, requests } = await explain(gateway, { send: true, confirm: true }, { timeoutMs: 3000 });
  expect(error).toMatchObject({ code: "deadline_exceeded", reason: "DEADLINE_EXCEEDED" });
  expect(requests).toMatchObject([{ verb: "POST" }]);
  expect(requests[0]?.response).toBeUndefined();
});

test("a client that disconnects ends the request that its explanation sent", async () => {
  const gateway = await start();
  const left = new AbortController();
  const closed = new Promise<void>((resolve) => {
    answer = (_request, response) => {
      response.once("close", () => resolve());
      left.abort();
    };
  });
  const call = explain(gateway, { send: true, confirm: true }, { signal: left.signal });
  expect((await failure(call))[0]).toBe("Canceled");
  await closed;
});

test("a sent call has the credentials that the headers of the explanation provide", async () => {
  const credentials = ({ header }: { header: Headers }) => ({ apiKey: header.get("x-own-key") ?? "" });
  const gateway = await start({}, { credentials });
  const headers = { "x-own-key": "own-secret-key" };
  const dry = await explain(gateway, {}, { headers });
  expect(dry.requests[0]?.credentials).toBe("unknown");
  const sent = await explain(gateway, { send: true, confirm: true }, { headers });
  expect(received[0]?.headers["x-api-key"]).toBe("own-secret-key");
  expect(sent.text + sent.curl).not.toContain("own-secret-key");
});
