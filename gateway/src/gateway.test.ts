import http from "node:http";
import type { AddressInfo } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { ServerReflection } from "./gen/grpc/reflection/v1/reflection_pb.ts";
import { type Gateway, startGateway } from "./index.ts";
import { createLogger } from "./log/logger.ts";
import { EchoServiceRest } from "./testing/echo-rest.ts";

/** The upstream's response, and the requests that it received. */
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
let upstream: http.Server;
let gateway: Gateway;
const LINES: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = http.createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  gateway = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: {
      echo: {
        baseUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
        credentials: { apiKey: "s3cret" },
      },
    },
    limits: { drainNoticeMs: 1 },
    log: createLogger("info", { write: (line: string) => LINES.push(JSON.parse(line)) }),
  });
});
afterAll(async () => {
  await gateway.close();
  upstream.closeAllConnections();
  upstream.close();
});

const client = () => createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url }));

test("a call is sent to the upstream with credentials, and its log line contains the status but no credentials", async () => {
  let key: unknown;
  answer = (request, response) => {
    key = request.headers["x-api-key"];
    response.setHeader("content-type", "application/json").end('{"text":"from upstream"}');
  };
  expect((await client().echo({ text: "a" })).text).toBe("from upstream");
  expect(key).toBe("s3cret");
  expect(LINES.at(-1)).toMatchObject({ code: "ok", upstreamStatus: 200, protocol: "grpc" });
  expect(JSON.stringify(LINES)).not.toContain("s3cret");
});

test.each([
  ["HTTP/2", () => createGrpcTransport({ baseUrl: gateway.url })],
  ["HTTP/1.1", () => createConnectTransport({ baseUrl: gateway.url, httpVersion: "1.1" })],
])(
  "a unary call that its client cancels over %s is aborted at the upstream, and logged",
  async (_, transport) => {
    const left = new AbortController();
    const ended = new Promise((resolve) => {
      answer = (request) => {
        request.once("close", resolve);
        left.abort();
      };
    });
    const before = LINES.length;
    const call = createClient(EchoService, transport()).echo({ text: "a" }, { signal: left.signal });
    await expect(call).rejects.toThrow("[canceled]");
    await ended;
    while (LINES.length === before) await new Promise((resolve) => setImmediate(resolve));
    expect(LINES.at(-1)).toMatchObject({ code: "canceled", attempts: 1 });
  },
);

test("an upstream error determines the caller's error code, and is logged with the status", async () => {
  answer = (_, response) => response.writeHead(404).end();
  await expect(client().echo({ text: "a" })).rejects.toThrow("[not_found]");
  expect(LINES.at(-1)).toMatchObject({ code: "not_found", upstreamStatus: 404 });
});

test("a request that violates a constraint is not sent to the upstream", async () => {
  let asked = 0;
  answer = (_, response) => {
    asked += 1;
    response.end("{}");
  };
  await expect(client().echo({ count: -1 })).rejects.toThrow("[invalid_argument] count: must be");
  expect(asked).toBe(0);
});

test("a difference in an upstream response is logged", async () => {
  answer = (_, response) => response.setHeader("content-type", "application/json").end('{"text":7}');
  expect((await client().echo({ text: "a" })).text).toBe("7");
  expect(LINES).toContainEqual(
    expect.objectContaining({ msg: "difference", path: "text", expected: "string", class: "converted" }),
  );
});

test("a call to a method without an adapter gets UNIMPLEMENTED", async () => {
  await expect(client().join((async function* () {})())).rejects.toThrow(
    '[unimplemented] echo.v1.EchoService has no method "Join". It has Echo.',
  );
});

test("the console and the method list omit methods without an adapter", async () => {
  const schema = await (await fetch(`${gateway.url}/console/schema.binpb`)).bytes();
  const { file } = fromBinary(FileDescriptorSetSchema, schema);
  const methods = file.flatMap(({ service }) => service.flatMap((each) => each.method));
  expect(methods.map(({ name }) => name)).toEqual(["Echo"]);
  expect(await (await fetch(`${gateway.url}/console/comments.json`)).text()).not.toMatch(/Join|Repeat|Talk/);
  expect(gateway.services.map(({ methods }) => methods.map(({ name }) => name))).toEqual([["Echo"]]);
});

test("reflection omits methods without an adapter and services that are not served", async () => {
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: gateway.url }));
  const symbols = ["EchoService", "EchoService.Echo", "EchoService.Join", "EchoService.Talk"];
  async function* questions() {
    for (const name of symbols) {
      yield { messageRequest: { case: "fileContainingSymbol", value: `echo.v1.${name}` } } as const;
    }
  }
  const methods: unknown[] = [];
  for await (const { messageResponse } of client.serverReflectionInfo(questions())) {
    if (messageResponse.case === "errorResponse") methods.push(messageResponse.value.errorMessage);
    if (messageResponse.case !== "fileDescriptorResponse") continue;
    const [file = new Uint8Array()] = messageResponse.value.fileDescriptorProto;
    const { service } = fromBinary(FileDescriptorProtoSchema, file);
    methods.push(service.map((each) => each.method.map(({ name }) => name)));
  }
  expect(methods).toEqual([
    [["Echo"]],
    [["Echo"]],
    'no symbol "echo.v1.EchoService.Join"',
    'no symbol "echo.v1.EchoService.Talk"',
  ]);
});

test("a gateway whose adapter has no upstream does not start", async () => {
  await expect(startGateway({ adapters: [EchoServiceRest], upstreams: {} })).rejects.toThrow(/echo/);
});

test("a gateway calls its upstreams with the given fetch function", async () => {
  const asked: string[] = [];
  const mocked = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: { echo: { baseUrl: "https://echo.example" } },
    fetch: async (url) => {
      asked.push(url);
      return Response.json({ text: "from a mock" });
    },
    limits: { drainNoticeMs: 1 },
  });
  const transport = createGrpcTransport({ baseUrl: mocked.url });
  expect((await createClient(EchoService, transport).echo({ text: "a" })).text).toBe("from a mock");
  expect(asked).toEqual(["https://echo.example/echo"]);
  await mocked.close();
});
