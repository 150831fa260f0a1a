import http2 from "node:http2";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Server, type ServerOptions, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { exchange, http2Request, parseAnswer } from "../testing/raw.ts";

const SERVERS: Server[] = [];
let server: Server;
beforeAll(async () => {
  server = await start({});
});
afterAll(() => Promise.all(SERVERS.map((each) => each.close())));

async function start(options: Partial<ServerOptions>): Promise<Server> {
  const started = await startServer({
    ...echoService,
    hosts: undefined,
    limits: { drainNoticeMs: 1 },
    ...options,
  });
  SERVERS.push(started);
  return started;
}

const CALL = "/echo.v1.EchoService/Echo";
const GET = `${CALL}?connect=v1&encoding=json&message=${encodeURIComponent('{"text":"a"}')}`;
const HEALTH = "/grpc.health.v1.Health";

/** Sends an HTTP/1.1 request that consists of the given lines. */
async function send(port: number, ...lines: readonly string[]) {
  return parseAnswer(await exchange(port, `${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`));
}

const JSON_CALL = ["Content-Type: application/json", "Content-Length: 2"];
const PATHS: readonly (readonly [string, ...string[]])[] = [
  ["GET /"],
  ["HEAD /"],
  [`GET ${GET}`],
  [`POST ${CALL}`, ...JSON_CALL],
  ["GET /nothing"],
  [`OPTIONS ${CALL}`, "Origin: https://a.example", "Access-Control-Request-Method: POST"],
  [`POST ${HEALTH}/List`, ...JSON_CALL],
  [
    "POST /grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "Content-Type: application/connect+json",
  ],
];

test.each(PATHS)("%s with a foreign host gets 421 and has no effect", async (line, ...headers) => {
  const { status, head, body } = await send(
    server.port,
    `${line} HTTP/1.1`,
    "Host: evil.example:8080",
    ...headers,
  );
  expect(status).toBe(421);
  if (!line.startsWith("HEAD")) {
    const message =
      'requests for "evil.example:8080" are not served here; add its name to server.hosts if they should be';
    const isConnect = typeof body === "object";
    expect(body).toEqual(
      isConnect ? expect.objectContaining({ code: "permission_denied", message }) : `${message}\n`,
    );
  }
  expect(head.toLowerCase()).toContain("cache-control: no-store");
  expect(head.toLowerCase()).not.toContain("access-control");
});

test.each(["/healthz", "/readyz?verbose"])("a health probe of %s may have any host", async (path) => {
  expect((await send(server.port, `GET ${path} HTTP/1.1`, "Host: 10.1.2.3:8080")).status).toBe(200);
});

test("a gRPC health probe may have any host, over HTTP/2 and as a Connect call", async () => {
  const head = ["Host: 10.1.2.3", "Connection: close", ...JSON_CALL].join("\r\n");
  const raw = await exchange(server.port, `POST ${HEALTH}/Check HTTP/1.1\r\n${head}\r\n\r\n{}`);
  expect(parseAnswer(raw).status).toBe(200);
  const headers = {
    ":method": "POST",
    ":path": `${HEALTH}/Check`,
    ":authority": "10.1.2.3:8080",
    "content-type": "application/grpc",
    te: "trailers",
  };
  const { trailers } = await http2Request(server.port, headers, Buffer.alloc(5));
  expect(trailers?.["grpc-status"]).toBe("0");
});

test.each([
  [{ ":authority": "evil.example" }, 421],
  [{ ":authority": "evil.example", host: "localhost" }, 400],
  [{ ":authority": "localhost", host: "evil.example" }, 400],
  [{ ":authority": "localhost", host: "LOCALHOST" }, 200],
  [{ ":authority": "LOCALHOST.:1" }, 200],
  [{ ":authority": "[::1]:1" }, 200],
])("an HTTP/2 request with the headers %j gets %i", async (headers, status) => {
  expect((await http2Request(server.port, { ":path": "/", ...headers })).status).toBe(status);
});

test.each<[string, readonly string[], number]>([
  ["/", ["Host: localhost"], 200],
  ["/", ["Host: LOCALHOST.:1"], 200],
  ["/", ["Host: [::1]"], 200],
  ["/", ["Host: evil.example"], 421],
  ["/", ["Host: localhost", "Host: evil.example"], 400],
  ["/", ["Host: evil.example", "Host: localhost"], 400],
  ["/", ["Host: localhost, evil.example"], 400],
  ["/", ["Host: localhost@evil.example"], 400],
  ["/", ["Host: evil.example#localhost"], 400],
  ["http://evil.example/", ["Host: localhost"], 421],
  ["http://localhost/", ["Host: localhost"], 200],
  ["http://localhost:80/healthz", ["Host: localhost"], 200],
  ["http://localhost@evil.example/", ["Host: localhost"], 400],
  ["/", ["Host: evil.example", "X-Forwarded-Host: localhost"], 421],
  ["/", ["Host: evil.example", "Forwarded: host=localhost"], 421],
])("an HTTP/1.1 request for %j with the headers %j gets %i", async (target, headers, status) => {
  expect((await send(server.port, `GET ${target} HTTP/1.1`, ...headers)).status).toBe(status);
});

test("the host forwarded by a trusted proxy and the request's own host are both checked, because a page may control either", async () => {
  const behind = await start({ proxies: { trusted: ["127.0.0.1"] }, hosts: ["localhost", "api.example"] });
  const of = async (host: string, forwarded: string) => {
    const headers = [`Host: ${host}`, "X-Forwarded-For: 192.0.2.1", `X-Forwarded-Host: ${forwarded}`];
    return (await send(behind.port, "GET / HTTP/1.1", ...headers)).status;
  };
  expect(await of("localhost", "api.example")).toBe(200);
  expect(await of("localhost", "evil.example")).toBe(421);
  expect(await of("evil.example", "api.example")).toBe(421);
});

test("a server does not start on a non-loopback address without hosts", async () => {
  await expect(start({ host: "0.0.0.0" })).rejects.toThrow(
    /^0\.0\.0\.0 is not a loopback address: .*DNS rebinding$/,
  );
  const { port } = await start({ host: "0.0.0.0", hosts: ["gateway.example"] });
  expect((await send(port, "GET / HTTP/1.1", "Host: Gateway.Example:80")).status).toBe(200);
  expect((await send(port, "GET / HTTP/1.1", "Host: localhost")).status).toBe(421);
  const open = await start({ host: "0.0.0.0", hosts: ["*"] });
  expect((await send(open.port, "GET / HTTP/1.1", "Host: what.ever")).status).toBe(200);
});

const SIMPLE: readonly (readonly [string, ...string[]])[] = [
  [`GET ${GET}`],
  [`HEAD ${GET}`],
  [`POST ${CALL}`],
  [`POST ${CALL}`, "Content-Type: text/plain"],
  [`POST ${CALL}`, "Content-Type: text/plain; application/json"],
  [`POST ${CALL}`, "Content-Type: application/x-www-form-urlencoded"],
  [`POST ${CALL}`, "Content-Type: Multipart/Form-Data; boundary=a"],
];
const FOREIGN: readonly (readonly string[])[] = [
  ["Origin: https://evil.example"],
  ["Origin: null"],
  ["Origin: http://localhost:1"],
  ["Origin: http://localhost.evil.example"],
  ["Origin: chrome-extension://abcdef"],
  ["Sec-Fetch-Site: cross-site"],
  ["Sec-Fetch-Site: same-site", "Origin: http://localhost:3000"],
  ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"],
];
test.each(SIMPLE)(
  "%s, which needs no preflight, is rejected from a page of another origin: %s",
  async (line, ...headers) => {
    for (const page of FOREIGN) {
      const { status, body } = await send(
        server.port,
        `${line} HTTP/1.1`,
        "Host: localhost",
        ...headers,
        ...page,
      );
      expect(status, page.join()).toBe(403);
      if (line.startsWith("HEAD")) continue;
      expect(JSON.stringify(body)).toContain("add it to server.origins if they should");
    }
  },
);

test.each([
  [[]],
  [["Origin: http://localhost"]],
  [["Origin: https://localhost"]],
  [["Sec-Fetch-Site: same-origin"]],
  [["Sec-Fetch-Site: none"]],
  [["Origin: http://localhost", "Sec-Fetch-Site: same-origin"]],
])(
  "a call that is not from a page, or is from a page of the gateway's origin, is served: %j",
  async (headers) => {
    expect((await send(server.port, `GET ${GET} HTTP/1.1`, "Host: localhost", ...headers)).status).toBe(200);
  },
);

test("pages of allowed origins may send requests that need no preflight", async () => {
  const named = await start({ origins: ["https://app.example"] });
  const any = await start({ origins: ["*"] });
  const of = async ({ port }: Server, origin: string) =>
    (
      await send(
        port,
        `GET ${GET} HTTP/1.1`,
        "Host: localhost",
        `Origin: ${origin}`,
        "Sec-Fetch-Site: cross-site",
      )
    ).status;
  expect(await of(named, "https://app.example")).toBe(200);
  expect(await of(named, "https://app.example.evil.example")).toBe(403);
  expect(await of(any, "https://evil.example")).toBe(200);
});

test("a link on a page of any origin may lead to the console", async () => {
  const headers = ["Host: localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"];
  expect((await send(server.port, "GET / HTTP/1.1", ...headers)).status).toBe(200);
});

test("every response to GET forbids caching and content sniffing", async () => {
  for (const target of ["/", "/healthz", "/readyz", "/nothing", GET, `${CALL}?connect=v1`, CALL]) {
    for (const verb of ["GET", "HEAD"]) {
      const { head } = await send(server.port, `${verb} ${target} HTTP/1.1`, "Host: localhost");
      expect(head.toLowerCase(), `${verb} ${target}`).toContain("\r\ncache-control: no-store");
      expect(head.toLowerCase(), `${verb} ${target}`).toContain("\r\nx-content-type-options: nosniff");
    }
  }
});

test("a request is served if its host is one of the configured hosts, and rejected otherwise, over HTTP/1.1 and HTTP/2", async () => {
  const label = fc.constantFrom("localhost", "evil", "127.0.0.1", "[::1]", "example", "LOCALHOST");
  const authority = fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), fc.constantFrom("", ".", ":80", ".:1", ":"))
    .map(([labels, end]) => labels.join(".") + end);
  const session = http2.connect(server.url);
  const over2 = (name: string) =>
    new Promise<number>((resolve, reject) => {
      const stream = session.request({ ":path": "/", ":authority": name });
      stream.on("response", (headers) => resolve(Number(headers[":status"]))).on("error", reject);
      stream.resume();
    });
  const isOwn = (name: string) => /^(?:(?:.*\.)?localhost\.?|127\.0\.0\.1\.?|\[::1\])(?::\d*)?$/i.test(name);
  await fc.assert(
    fc.asyncProperty(authority, async (name) => {
      const [first, second] = await Promise.all([
        send(server.port, "GET / HTTP/1.1", `Host: ${name}`).then(({ status }) => status),
        over2(name),
      ]);
      expect(first).toBe(second);
      expect(first === 200).toBe(first !== 400 && isOwn(name));
    }),
    { numRuns: 60 },
  );
  session.close();
});
