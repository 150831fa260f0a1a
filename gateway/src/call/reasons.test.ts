import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { reasonOf } from "connect-rest-runtime";
import { ERRORS } from "connect-rest-runtime/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passThroughCredentials, wantedKindsOf } from "../credentials/pass-through.ts";
import { type Gateway, startGateway } from "../gateway.ts";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { EchoServiceRest } from "../testing/echo-rest.ts";
import { errorOf } from "../testing/error-of.ts";
import { FAST_PATH_CASES } from "../testing/fast-path-cases.ts";
import { type RawCall, type RawClient, rawClient } from "../testing/raw-call.ts";
import { startTalkativeUpstream, type TalkativeUpstream } from "../testing/talkative-upstream.ts";
import { GATEWAY_REASONS } from "./error-reasons.ts";

/** The reasons for HTTP statuses; a separate table documents them. */
const OF_STATUSES: readonly string[] = [
  "BAD_REQUEST",
  "NOT_FOUND",
  "CONFLICT",
  "TOO_MANY_REQUESTS",
  "INTERNAL_SERVER_ERROR",
  "SERVICE_UNAVAILABLE",
];
const DOCUMENTED: readonly string[] = [
  ...Object.keys(ERRORS),
  ...Object.keys(GATEWAY_REASONS),
  ...OF_STATUSES,
];

let upstream: TalkativeUpstream;
let gateways: readonly Gateway[];
let clients: readonly RawClient[];
let credentialed: Gateway;
beforeAll(async () => {
  upstream = await startTalkativeUpstream();
  const limits = { readMaxBytes: 64 * 1024, writeMaxBytes: 256 * 1024, messageDepth: 20, drainNoticeMs: 1 };
  const echo = { baseUrl: upstream.url, retry: false, breaker: false } as const;
  const start = (fastPath: boolean) =>
    startGateway({ adapters: [EchoServiceRest], upstreams: { echo }, limits, fastPath });
  gateways = await Promise.all([start(true), start(false)]);
  clients = gateways.map(({ port }) => rawClient(port));
  const { echo: method } = EchoServiceRest.methods;
  if (method === undefined) throw new Error("no adapter");
  const rules = { ...method.rules, credentials: ["api_key"] } as const;
  const adapters = [{ ...EchoServiceRest, methods: { echo: { ...method, rules } } }];
  const credentials = passThroughCredentials(
    "echo",
    {},
    { apiKey: { header: "x-key" } },
    wantedKindsOf(adapters),
  );
  credentialed = await startGateway({ adapters, upstreams: { echo: { ...echo, credentials } }, limits });
});
afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all([...gateways, credentialed].map((gateway) => gateway.close()));
  await upstream.close();
});

const PATH = "/echo.v1.EchoService/Echo";
const STREAM = "/echo.v1.EchoService/Repeat";
const post = (path: string, type: string, body = "{}", headers = {}): RawCall => ({
  version: type.startsWith("application/grpc") ? "2" : "1.1",
  method: "POST",
  path,
  headers: { "content-type": type, ...headers },
  body: Buffer.from(body),
});
const TYPES: readonly string[] = [
  "application/json",
  "application/proto",
  "application/connect+json",
  "application/connect+proto",
  "application/grpc",
  "application/grpc+json",
  "application/grpc-web",
  "application/grpc-web+json",
];

/** Calls that fail without an upstream. */
const CALLS: readonly RawCall[] = [
  ...TYPES.flatMap((type) => [
    post("/no.v1.Service/Method", type),
    post("/echo.v1.EchoService/None", type),
    post(PATH, type, "not a message"),
    post(PATH, type, "\0\0\0\0\x05junk!"),
    post(PATH, type, "\0\0\xff\xff\xff"),
    post(PATH, type, ""),
    post(STREAM, type, "not a message"),
    post(STREAM, type, "\0\0\0\0\x05junk!"),
    post(STREAM, type, ""),
    post(PATH, type, "{}", {
      "grpc-encoding": "zz",
      "content-encoding": "zz",
      "connect-content-encoding": "zz",
    }),
    post(PATH, type, "{}", { "grpc-timeout": "zz", "connect-timeout-ms": "zz" }),
    post(PATH, type, "{}", { "connect-protocol-version": "7" }),
    post(STREAM, type, "{}", { "grpc-timeout": "zz", "connect-timeout-ms": "zz" }),
  ]),
  post(PATH, "text/plain"),
  { ...post(PATH, "application/json"), method: "PUT" },
  { ...post(PATH, "application/json"), method: "DELETE", body: undefined },
  post("/healthz", "application/json"),
  post(PATH, "application/json", "{}", { host: "a b" }),
  post(`${PATH}?${"x".repeat(20_000)}`, "application/json"),
];

test("every error of a call has a documented reason, on both the fast path and connect's path", async () => {
  // the response to HEAD has no body
  const calls = [...FAST_PATH_CASES.map((each) => each.call), ...CALLS].filter(
    ({ method }) => method !== "HEAD",
  );
  const seen = new Set<string>();
  for (const call of calls) {
    for (const client of clients) {
      const response = await client.send(call);
      const error = errorOf(response);
      if (error === undefined) continue;
      const reason = reasonOf(error);
      const what = `${call.method} ${call.path.slice(0, 80)} ${JSON.stringify(call.headers)} ${error.message}`;
      expect([what, DOCUMENTED.includes(reason ?? "") ? "documented" : reason]).toEqual([what, "documented"]);
      if (reason === "GATEWAY_FAILED") expect(what).toBe("a reason");
      seen.add(reason ?? "");
      if (reason !== undefined && reason in GATEWAY_REASONS) {
        const { codes } = GATEWAY_REASONS[reason as keyof typeof GATEWAY_REASONS];
        expect([what, codes as readonly Code[]]).toEqual([what, expect.arrayContaining([error.code])]);
      }
    }
  }
  for (const reason of ["REQUEST_INVALID", "REQUEST_MALFORMED", "REQUEST_TOO_LARGE", "METHOD_UNKNOWN"]) {
    expect(seen).toContain(reason);
  }
});

async function failure(call: Promise<unknown>): Promise<ConnectError> {
  return await call.then(
    () => new ConnectError("the call succeeded"),
    (error: unknown) => ConnectError.from(error),
  );
}

test("a caller without pass-through credentials gets the reason UPSTREAM_CREDENTIALS_MISSING", async () => {
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: credentialed.url }));
  const error = await failure(client.echo({ text: "a" }));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unauthenticated, "UPSTREAM_CREDENTIALS_MISSING"]);
});

test("a health check of an unknown service has a reason", async () => {
  const client = createClient(Health, createGrpcTransport({ baseUrl: credentialed.url }));
  const error = await failure(client.check({ service: "none" }));
  expect([error.code, reasonOf(error)]).toEqual([Code.NotFound, "SERVICE_UNKNOWN"]);
});
