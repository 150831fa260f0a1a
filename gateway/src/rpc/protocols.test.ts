import { ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { http2Request } from "../testing/raw.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService, limits: { unaryDeadlineMs: 300, streamDeadlineMs: 400 } });
  await server.warm;
});
afterAll(() => server.close());

const TRANSPORTS: ReadonlyArray<readonly [name: string, create: (options?: object) => Transport]> = [
  ["connect", (options) => createConnectTransport({ baseUrl: server.url, httpVersion: "2", ...options })],
  [
    "connect over HTTP/1.1",
    (options) => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1", ...options }),
  ],
  ["grpc", (options) => createGrpcTransport({ baseUrl: server.url, ...options })],
  ["grpc-web", (options) => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1", ...options })],
];

/** Returns the error with which a call fails. */
async function failure(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => new Error("the call succeeded"),
    (reason: unknown) => reason,
  );
  if (error instanceof ConnectError) return error;
  throw error;
}

/** Posts JSON over the Connect protocol. */
async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

describe.each(TRANSPORTS)("%s", (_, transport) => {
  test("rejects a message that violates a constraint, and names the field", async () => {
    const client = createClient(EchoService, transport());
    const error = await failure(client.echo({ count: -1 }));
    expect(error.message).toBe(
      "[invalid_argument] count: must be greater than or equal to 0 and less than or equal to 100000 [int32.gte_lte]",
    );
    const [violations] = error.findDetails(ViolationsSchema);
    expect(violations?.violations[0]?.field?.elements[0]?.fieldName).toBe("count");
  });

  test("ends a call at the gateway's deadline if its handler ignores the signal", async () => {
    const client = createClient(EchoService, transport());
    const error = await failure(client.echo({ text: "never" }));
    expect(error.message).toBe(
      "[deadline_exceeded] no response within 300 ms, the deadline set by the gateway",
    );
  });

  test("ends a stream at its deadline", async () => {
    const client = createClient(EchoService, transport());
    const read = async () => {
      for await (const _ of client.repeat({ text: "x".repeat(1000) }));
    };
    const error = await failure(read());
    expect(error.message).toBe(
      "[deadline_exceeded] no response within 400 ms, the deadline set by the gateway",
    );
  });

  test("accepts a timeout that is too long for a timer", async () => {
    const client = createClient(EchoService, transport());
    // connect's client rejects timeouts of more than gRPC's eight digits
    expect((await client.echo({ text: "a" }, { timeoutMs: 99_999_999 })).text).toBe("a");
  });

  test("rejects a message larger than readMaxBytes", async () => {
    const client = createClient(EchoService, transport());
    const error = await failure(client.echo({ text: "x".repeat(5 * 1024 * 1024) }));
    expect(error.code).toBe(Code.ResourceExhausted);
    expect(error.rawMessage).toMatch(/^message size (\d+ )?is larger than configured readMaxBytes 4194304$/);
  });

  test("rejects a message that is nested too deeply", async () => {
    const client = createClient(EchoService, transport());
    let request = {};
    for (let i = 0; i < 200; i++) request = { inner: request };
    const error = await failure(client.echo(request));
    expect(error.message).toContain("maximum recursion depth of 100 reached");
  });
});

test("a Connect request with a duplicate JSON key is rejected", async () => {
  const { status, body } = await post("echo.v1.EchoService/Echo", '{"text":"a","text":"b"}');
  const message = 'cannot decode message echo.v1.EchoRequest from JSON: duplicate object key "text"';
  expect([status, body]).toMatchObject([400, { code: "invalid_argument", message }]);
});

test("a Connect request with a JSON key in two spellings is rejected", async () => {
  const { status, body } = await post("echo.v1.EchoService/Echo", '{"text":"a","\\u0074ext":"b"}');
  expect([status, body]).toMatchObject([400, { code: "invalid_argument" }]);
});

test.each(["9999999999", "2147483648", "4294967296"])(
  "a Connect request with a timeout of %s ms is accepted",
  async (timeout) => {
    const { status } = await post("echo.v1.EchoService/Echo", '{"text":"a"}', {
      "connect-timeout-ms": timeout,
    });
    expect(status).toBe(200);
  },
);

test("the error of a Connect request says who set the deadline", async () => {
  const { status, body } = await post("echo.v1.EchoService/Echo", '{"text":"never"}', {
    "connect-timeout-ms": "50",
  });
  const message = "no response within 50 ms, the deadline set by the client";
  expect([status, body]).toMatchObject([
    504,
    { code: "deadline_exceeded", message, details: [{ debug: { reason: "DEADLINE_EXCEEDED" } }] },
  ]);
});

test.each(["", "-1", "1.5", "99999999999", "1s"])(
  "a Connect request with the timeout %j is rejected",
  async (timeout) => {
    const { status, body } = await post("echo.v1.EchoService/Echo", "{}", { "connect-timeout-ms": timeout });
    const message = `protocol error: invalid connect timeout value: ${timeout}`;
    expect([status, body]).toMatchObject([400, { code: "invalid_argument", message }]);
  },
);

test("a Connect request with an unknown content type gets the list of supported types", async () => {
  const headers = { "content-type": "text/plain" };
  const response = await fetch(`${server.url}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers,
    body: "{}",
  });
  const message =
    'echo.v1.EchoService.Echo takes application/json, application/proto, application/grpc, application/grpc-web; the content-type is "text/plain"';
  expect([response.status, await response.text()]).toEqual([415, `${message}\n`]);
  expect(response.headers.get("accept-post")).toBe(
    "application/json, application/proto, application/grpc, application/grpc-web",
  );
});

test("a Connect request with an unknown protocol version is rejected", async () => {
  const header = await post("echo.v1.EchoService/Echo", "{}", { "connect-protocol-version": "2" });
  const text = 'the header connect-protocol-version must be "1", the version of the protocol; it is "2"';
  expect([header.status, header.body]).toMatchObject([400, { code: "invalid_argument", message: text }]);
  const query = await fetch(`${server.url}/echo.v1.EchoService/Echo?connect=v2&encoding=json&message=%7B%7D`);
  const parameter = 'the parameter connect must be "v1", the version of the protocol; it is "v2"';
  expect(await query.json()).toMatchObject({ code: "invalid_argument", message: parameter });
});

test.each([{}, { "content-type": "application/json" }])(
  "a Connect GET request may contain unescaped question marks in its query",
  async (headers) => {
    const query = 'connect=v1&encoding=json&message={"text":"why?and?how"}';
    const response = await fetch(`${server.url}/echo.v1.EchoService/Echo?${query}`, { headers });
    expect(await response.json()).toMatchObject({ text: "why?and?how" });
  },
);

test("a Connect request with an unsupported HTTP method gets the list of supported methods", async () => {
  const response = await fetch(`${server.url}/echo.v1.EchoService/Echo`, { method: "PUT" });
  const message = 'echo.v1.EchoService.Echo takes POST or GET; the request is a "PUT"';
  expect(await response.text()).toBe(`${message}\n`);
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST, GET"]);
});

test("a bidirectional Connect stream over HTTP/1.1 gets an error that asks for HTTP/2", async () => {
  const response = await fetch(`${server.url}/echo.v1.EchoService/Talk`, {
    method: "POST",
    headers: { "content-type": "application/connect+json" },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const message =
    "echo.v1.EchoService.Talk streams in both directions, which needs HTTP/2; the request came over HTTP/1.1";
  expect(JSON.parse(bytes.subarray(5).toString())).toMatchObject({
    error: { code: "unimplemented", message },
  });
  expect(response.headers.get("connection")).toBe("close");
});

test("the response to a Connect request repeats a valid request ID, and has a new ID in place of an invalid one", async () => {
  const good = await post("echo.v1.EchoService/Echo", "{}", { "x-request-id": "abc-1" });
  expect(good.headers.get("x-request-id")).toBe("abc-1");
  const bad = await post("echo.v1.EchoService/Echo", "{}", { "x-request-id": 'a"b' });
  expect(bad.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

const NO_METHOD =
  'echo.v1.EchoService has no method "Ech". Did you mean "Echo"? It has Echo, Repeat, Join, Talk.';

test("a Connect request for an unknown method gets 404 and unimplemented in JSON", async () => {
  const { status, body } = await post("echo.v1.EchoService/Ech", "{}");
  expect([status, body]).toMatchObject([404, { code: "unimplemented", message: NO_METHOD }]);
});

test("the error for an unknown service suggests the most similar service", async () => {
  const { body } = await post("echo.v1.EchoServise/Echo", "{}");
  expect(body).toMatchObject({
    message:
      'no service "echo.v1.EchoServise" is served here. Did you mean "echo.v1.EchoService"? There are echo.v1.EchoService, grpc.health.v1.Health, grpc.reflection.v1.ServerReflection, grpc.reflection.v1alpha.ServerReflection.',
  });
});

test("a Connect stream for an unknown method gets the error in its last message", async () => {
  const response = await fetch(`${server.url}/echo.v1.EchoService/Ech`, {
    method: "POST",
    headers: { "content-type": "application/connect+json" },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([response.status, bytes[0], bytes.readUInt32BE(1)]).toEqual([200, 2, bytes.length - 5]);
  expect(JSON.parse(bytes.subarray(5).toString())).toMatchObject({
    error: { code: "unimplemented", message: NO_METHOD },
  });
});

test.each(["application/grpc+proto", "application/grpc-web+proto"])(
  "a request for an unknown method with content type %s gets the error in headers",
  async (type) => {
    const response = await fetch(`${server.url}/echo.v1.EchoService/Ech`, {
      method: "POST",
      headers: { "content-type": type },
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect(response.headers.get("grpc-status")).toBe("12");
    expect(decodeURIComponent(response.headers.get("grpc-message") ?? "")).toBe(NO_METHOD);
  },
);

test("a request for a path without a service gets 404 in JSON", async () => {
  const { status, body } = await http2Request(server.port, { ":path": "/favicon.ico" });
  expect([status, body]).toMatchObject([404, { code: "unimplemented" }]);
});

const ENVELOPED = [
  "connect+json",
  "connect+proto",
  "grpc+json",
  "grpc+proto",
  "grpc-web+json",
  "grpc-web+proto",
];
const METHODS = ["Echo", "Repeat", "Join", "Talk"];

test.each(
  ENVELOPED.flatMap((type) => METHODS.map((method) => [type, method] as const)).filter(
    ([type, method]) => !(type.startsWith("connect+") && method === "Echo"),
  ),
)(
  "a body of application/%s without an envelope gets an error about the missing envelope, for the method %s",
  async (type, method) => {
    for (const body of ["{}", '{"text":"a"}', `{"text":"${"a".repeat(10_000)}"}`]) {
      const sent = {
        ":method": "POST",
        ":path": `/echo.v1.EchoService/${method}`,
        "content-type": `application/${type}`,
        te: "trailers",
      };
      const { headers, trailers, body: text } = await http2Request(server.port, sent, Buffer.from(body));
      const said = JSON.stringify([headers, trailers, text]);
      expect(said).toContain("expected each message in an envelope");
    }
  },
);
