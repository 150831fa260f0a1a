import http2 from "node:http2";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { exchange, http2Request, parseAnswer } from "../testing/raw.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({
    ...echoService,
    limits: { headersTimeoutMs: 300, bodyIdleTimeoutMs: 200, idleTimeoutMs: 300, resetsPerSecond: 20 },
  });
});
afterAll(() => server.close());

/** Expects that the process and its listener still run. */
async function expectAlive(): Promise<void> {
  const health = await fetch(`${server.url}/healthz`);
  expect([health.status, await health.text()]).toEqual([200, "alive\n"]);
}

const expected = (value: string) =>
  `the Host header must be a host name or address with an optional port; it is ${value}\n`;

test.each([
  ["[", '"["'],
  ["%", '"%"'],
  ["a%b", '"a%b"'],
  ["x:99999", '"x:99999"'],
  ["x:1:2", '"x:1:2"'],
  ["x:-1", '"x:-1"'],
  ["user@x", '"user@x"'],
  ["a b", '"a b"'],
  ["", '""'],
  ["[::1", '"[::1"'],
  ["\u00e4", '"\\u00e4"'],
  ["x/../y", '"x/../y"'],
  ["x".repeat(256), `"${"x".repeat(60)}..."`],
])("the malformed Host header %j gets 400 and an explanation", async (host, shown) => {
  const request = Buffer.from(`POST /echo.v1.EchoService/Echo HTTP/1.1\r\nHost: ${host}\r\n\r\n`, "latin1");
  const { status, body, head } = parseAnswer(await exchange(server.port, request));
  expect([status, body]).toEqual([400, expected(shown)]);
  expect(head.toLowerCase()).toContain("connection: close");
  await expectAlive();
});

test("a request without a Host header gets 400 and an explanation, in HTTP/1.0 and 1.1", async () => {
  for (const version of ["1.0", "1.1"]) {
    const { status, body } = parseAnswer(await exchange(server.port, `GET / HTTP/${version}\r\n\r\n`));
    const message = "the request has no Host header; send the name it is meant for";
    expect([status, body]).toEqual([400, `${message}\n`]);
  }
  await expectAlive();
});

test("a request with two Host headers gets 400 and an explanation", async () => {
  const answer = await exchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  const { status, body } = parseAnswer(answer);
  expect([status, body]).toEqual([400, "the request has 2 Host headers; send one\n"]);
  await expectAlive();
});

test.each(["localhost", "localhost:8080", "127.0.0.1", "[::1]:8080", "a-b.example", "a_b:0", "x:"])(
  "the Host header %s is accepted",
  async (host) => {
    const answer = await exchange(
      server.port,
      `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(parseAnswer(answer).status).toBe(200);
  },
);

test.each(["[", "%", "a%b", "x:99999"])(
  "the malformed :authority %j gets 400 and an explanation",
  async (authority) => {
    const { status, body } = await http2Request(server.port, {
      ":path": "/healthz",
      ":authority": authority,
    });
    const message = `:authority must be a host name or address with an optional port; it is "${authority}"`;
    expect([status, body]).toEqual([400, `${message}\n`]);
    await expectAlive();
  },
);

test.each(["user@x", "a b"])(
  "Node.js rejects the malformed :authority %j with PROTOCOL_ERROR",
  async (authority) => {
    await expect(http2Request(server.port, { ":path": "/healthz", ":authority": authority })).rejects.toThrow(
      "Stream closed with error code NGHTTP2_PROTOCOL_ERROR",
    );
    await expectAlive();
  },
);

test("an :authority that differs from the Host header gets 400 and an explanation", async () => {
  const { status, body } = await http2Request(server.port, {
    ":path": "/healthz",
    ":authority": "a",
    host: "b",
  });
  const message = ':authority is "a" but the Host header is "b"; send one of them';
  expect([status, body]).toEqual([400, `${message}\n`]);
  await expectAlive();
});

test("a request that is not HTTP gets 400 and an explanation", async () => {
  const { status, body } = parseAnswer(await exchange(server.port, "\x16\x03\x01hello\r\n\r\n"));
  expect([status, body]).toEqual([400, expect.stringMatching(/^not an HTTP\/1.1 request: /)]);
  await expectAlive();
});

test("a request whose target is not a path gets 400 and an explanation", async () => {
  const { status, body } = parseAnswer(await exchange(server.port, "GET foo HTTP/1.1\r\nHost: a\r\n\r\n"));
  expect([status, body]).toEqual([400, expect.stringMatching(/^not an HTTP\/1.1 request: /)]);
  await expectAlive();
});

test("a request whose target is an absolute URL is served", async () => {
  const answer = await exchange(
    server.port,
    "GET http://a/healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  );
  expect(parseAnswer(answer).status).toBe(200);
});

test("a request whose target is a URL with an invalid host gets 400", async () => {
  for (const target of ["http://[/", "http://u:p@a/", "http://a%b/"]) {
    const { status } = parseAnswer(await exchange(server.port, `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`));
    expect([target, status]).toEqual([target, 400]);
  }
});

test("a request with an unsupported HTTP version gets 505 and an explanation", async () => {
  const { status, body } = parseAnswer(await exchange(server.port, "GET / HTTP/0.9\r\nHost: a\r\n\r\n"));
  const message = "HTTP/1.0, 1.1 and 2 are spoken here; the request is HTTP/0.9";
  expect([status, body]).toEqual([505, `${message}\n`]);
});

test("a GET call whose message is not base64 gets 400 and an explanation", async () => {
  const query = "connect=v1&encoding=json&base64=1&message=***";
  const answer = await fetch(`${server.url}/echo.v1.EchoService/Echo?${query}`);
  const message = 'base64=1 says that message is base64 (RFC 4648 section 4 or 5); it is "***"';
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: "invalid_argument", message }]);
});

test("a request with both Content-Length and chunked encoding gets 400", async () => {
  const text =
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  expect(parseAnswer(await exchange(server.port, text)).status).toBe(400);
  await expectAlive();
});

test("a request target over urlBytes gets 414 and an explanation", async () => {
  const path = `/${"x".repeat(8192)}`;
  const answer = await exchange(server.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const message = "the request target has 8193 bytes; the limit urlBytes is 8192";
  expect(parseAnswer(answer)).toMatchObject({ status: 414, body: `${message}\n` });
  const overHttp2 = await http2Request(server.port, { ":path": path });
  expect(overHttp2).toMatchObject({ status: 414, body: `${message}\n` });
  await expectAlive();
});

test("a request whose headers exceed headerBytes gets 431 and an explanation", async () => {
  const answer = await exchange(server.port, `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
  const message = "the headers have 20014 bytes; the limit headerBytes is 16384";
  expect(parseAnswer(answer)).toMatchObject({ status: 431, body: `${message}\n` });
  await expectAlive();
});

test("an HTTP/2 request whose headers exceed headerBytes gets 431 and an explanation, or a stream error", async () => {
  const headers = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "x".repeat(1000)]));
  const { status, body } = await http2Request(server.port, { ":path": "/healthz", ...headers(20) });
  const message = expect.stringMatching(/^the headers have \d+ bytes; the limit headerBytes is 16384\n$/);
  expect([status, body]).toEqual([431, message]);
  await expect(http2Request(server.port, { ":path": "/healthz", ...headers(90) })).rejects.toThrow();
  await expectAlive();
});

test("a request with more headers than headerCount gets 431 and an explanation", async () => {
  const headers = Array.from({ length: 100 }, (_, i) => `x-${i}: 1\r\n`).join("");
  const answer = await exchange(server.port, `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  const message = "the request has 101 headers or more; the limit headerCount is 100";
  expect(parseAnswer(answer)).toMatchObject({ status: 431, body: `${message}\n` });
  const overHttp2 = await http2Request(server.port, {
    ":path": "/",
    ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, "1"])),
  });
  expect(overHttp2.status).toBe(431);
  await expectAlive();
});

test("a request whose headers take longer than headersTimeoutMs gets 408 and an explanation", async () => {
  const answer = await exchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
  const message = "the headers did not arrive within headersTimeoutMs, 300 ms";
  expect(parseAnswer(answer)).toMatchObject({ status: 408, body: `${message}\n` });
  await expectAlive();
});

test("a connection that does not send a request in time is closed", async () => {
  expect(await exchange(server.port)).toBe("");
  expect(await exchange(server.port, "PRI * HT")).toBe("");
  await expectAlive();
});

test("an HTTP/2 connection whose headers take longer than headersTimeoutMs gets GOAWAY", async () => {
  // A HEADERS frame whose length is 100 bytes, with only 3 bytes.
  const partial = Buffer.from([0, 0, 100, 1, 4, 0, 0, 0, 1, 0x82, 0x86, 0x84]);
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
  const received = await exchange(server.port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", settings, partial);
  expect(frameTypes(Buffer.from(received, "latin1"))).toContain(7);
  await expectAlive();
});

test("a connection that is idle for idleTimeoutMs between requests is closed", async () => {
  const answer = await exchange(server.port, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(parseAnswer(answer)).toMatchObject({ status: 200 });
  const session = http2.connect(server.url);
  const goaway = new Promise((resolve) => session.once("goaway", resolve));
  session.request({ ":path": "/healthz" }).resume();
  expect(await goaway).toBe(http2.constants.NGHTTP2_NO_ERROR);
  await new Promise((resolve) => session.once("close", resolve));
});

const HEAD =
  "POST /echo.v1.EchoService/Echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";

test("a request whose body stops arriving for bodyIdleTimeoutMs gets 504 and an explanation", async () => {
  const { status, body } = parseAnswer(await exchange(server.port, `${HEAD}{"te`));
  const message = "nothing more of the request arrived for bodyIdleTimeoutMs, 200 ms";
  expect([status, body]).toMatchObject([504, { code: "deadline_exceeded", message }]);
  await expectAlive();
});

test("an HTTP/2 request whose body stops arriving gets 504", async () => {
  const session = http2.connect(server.url);
  const stream = session.request({
    ":method": "POST",
    ":path": "/echo.v1.EchoService/Echo",
    "content-type": "application/json",
  });
  stream.write('{"te');
  const status = await new Promise((resolve) =>
    stream.once("response", (headers) => resolve(headers[":status"])),
  );
  expect(status).toBe(504);
  session.destroy();
  await expectAlive();
});

test("a request for an unknown path gets 404 before its body has arrived", async () => {
  const answer = await exchange(
    server.port,
    "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
  );
  expect(parseAnswer(answer)).toMatchObject({ status: 404 });
  await expectAlive();
});

test("a connection that pipelines too many requests is closed", async () => {
  const one =
    "POST /echo.v1.EchoService/Echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n" +
    '{"text":"never"}';
  expect(await exchange(server.port, one.repeat(200))).toBe("");
  await expectAlive();
});

test("a connection that is reset in the middle of a request does not affect others", async () => {
  const socket = net.connect(server.port, "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(
    "POST /echo.v1.EchoService/Echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
  );
  socket.resetAndDestroy();
  await expectAlive();
});

/** Returns the types of the frames that an HTTP/2 server sent. */
function frameTypes(bytes: Buffer): number[] {
  const types: number[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    types.push(bytes.readUInt8(at + 3));
  }
  return types;
}
