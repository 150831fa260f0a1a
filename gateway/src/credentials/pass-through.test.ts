import http from "node:http";
import type { AddressInfo } from "node:net";
import { type CallOptions, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Secret } from "connect-rest-runtime";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Gateway, startGateway } from "../index.ts";
import { createLogger } from "../log/logger.ts";
import { EchoServiceRest } from "../testing/echo-rest.ts";
import { passThroughCredentials, wantedKindsOf } from "./pass-through.ts";

let upstream: http.Server;
let gateway: Gateway;
let start: (header: string, corsHeaders: readonly string[]) => Promise<Gateway>;
let status = 200;
let received: http.IncomingHttpHeaders = {};
const LINES: string[] = [];

beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received = request.headers;
    response.writeHead(status, { "content-type": "application/json" }).end('{"text":"yes"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const rest = EchoServiceRest.methods.echo;
  if (rest === undefined) throw new Error("no adapter");
  const adapters = [
    {
      ...EchoServiceRest,
      methods: { echo: { ...rest, rules: { ...rest.rules, credentials: ["api_key"] } as const } },
    },
  ];
  start = (header, corsHeaders) =>
    startGateway({
      adapters,
      upstreams: {
        echo: {
          baseUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
          credentials: passThroughCredentials("echo", {}, { apiKey: { header } }, wantedKindsOf(adapters)),
        },
      },
      origins: ["https://app.example"],
      corsHeaders,
      limits: { drainNoticeMs: 1 },
      log: createLogger("trace", { write: (line: string) => LINES.push(line) }),
    });
  gateway = await start("X-Echo-Key", ["x-echo-key"]);
});
afterEach(() => {
  status = 200;
  received = {};
});
afterAll(async () => {
  await gateway.close();
  upstream.closeAllConnections();
  upstream.close();
});

const echo = (headers: Record<string, string>, options: CallOptions = {}) =>
  createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url })).echo(
    { text: "a" },
    { ...options, headers },
  );

test("a caller's credentials are sent to the upstream only in the configured place", async () => {
  await echo({ "x-echo-key": "callers-key-1", "x-other": "stays-here", cookie: "stays=here" });
  expect(received["x-api-key"]).toBe("callers-key-1");
  expect(JSON.stringify(received)).not.toContain("stays");
  expect(received["x-echo-key"]).toBeUndefined();
  await echo({ "x-echo-key": "callers-key-2" });
  expect(received["x-api-key"]).toBe("callers-key-2");
  expect(LINES.join("")).not.toContain("callers-key");
});

test("a caller without credentials gets an error that names the header, and nothing is sent to the upstream", async () => {
  await expect(echo({})).rejects.toThrow(
    "[unauthenticated] echo.v1.EchoService.Echo needs the caller's credentials for the upstream echo; send them in the header x-echo-key",
  );
  expect(received).toEqual({});
});

test("a caller whose credentials the upstream rejects gets UNAUTHENTICATED", async () => {
  status = 401;
  await expect(echo({ "x-echo-key": "wrong-key" })).rejects.toThrow(
    "[unauthenticated] upstream echo responded with 401",
  );
  expect(LINES.join("")).not.toContain("wrong-key");
});

test("a header value that cannot be forwarded is rejected, and the error omits the value", async () => {
  const headers = { "x-echo-key": "k\u00e9y", "content-type": "application/json" };
  const answer = await fetch(`${gateway.url}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers,
    body: "{}",
  });
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain("k\u00e9y");
});

test("pages of allowed origins may send the header", async () => {
  const answer = await fetch(`${gateway.url}/echo.v1.EchoService/Echo`, {
    method: "OPTIONS",
    headers: { origin: "https://app.example", "access-control-request-method": "POST" },
  });
  expect(answer.headers.get("access-control-allow-headers")?.split(", ")).toContain("x-echo-key");
});

test("the response to a GET call forbids caching", async () => {
  const transport = createConnectTransport({ baseUrl: gateway.url, httpVersion: "1.1", useHttpGet: true });
  let cached: string | null = "";
  await createClient(EchoService, transport).echo(
    { text: "a" },
    {
      headers: { "x-echo-key": "key" },
      onHeader: (headers) => {
        cached = headers.get("cache-control");
      },
    },
  );
  expect(cached).toBe("no-store");
});

const from = {
  oauth2: { header: "authorization" },
  oauth1: { token: { header: "x-token" }, tokenSecret: { header: "x-token-secret" } },
};
const fixed = { oauth1: { consumerKey: new Secret("ck"), consumerSecret: new Secret("cs") } };
const of = async (headers: Record<string, string>) => {
  const provide = passThroughCredentials("echo", fixed, from, () => ["oauth2", "oauth1", "oauth1_client"]);
  return await provide({ method: EchoService.method.echo, header: new Headers(headers) });
};
const reveal = (value: unknown) => (value instanceof Secret ? value.reveal() : value);

test.each(["Bearer abc", "bearer  abc", "abc"])(
  "the call's credentials contain the token in the header %j",
  async (value) => {
    const { oauth2 } = await of({ authorization: value });
    expect(oauth2 && "accessToken" in oauth2 && reveal(oauth2.accessToken)).toBe("abc");
  },
);

test("the call's credentials contain the user and password of HTTP Basic, and other header values are rejected", async () => {
  const from = { basic: { header: "authorization" } };
  const provide = passThroughCredentials("echo", {}, from, () => ["basic"]);
  const of = async (authorization: string) =>
    await provide({ method: EchoService.method.echo, header: new Headers({ authorization }) });
  const pair = Buffer.from("ada:pass:word").toString("base64");
  for (const value of [`Basic ${pair}`, `basic ${pair}`, pair]) {
    const { basic } = await of(value);
    expect([basic?.username, basic?.password].map(reveal)).toEqual(["ada", "pass:word"]);
  }
  await expect(of("Basic bm8gY29sb24=")).rejects.toThrow(
    "[unauthenticated] echo.v1.EchoService.Echo needs the caller's credentials for the upstream echo; send them in the header authorization",
  );
});

test("the call's credentials combine the caller's OAuth 1.0a token with the configured client", async () => {
  const { oauth1 } = await of({ "x-token": "t", "x-token-secret": "ts" });
  expect(Object.values(oauth1 ?? {}).map(reveal)).toEqual(["ck", "cs", "t", "ts"]);
});

test("a token without its secret is ignored, and the call uses the configured credentials", async () => {
  expect(await of({ "x-token": "t" })).toEqual(fixed);
  expect(await of({ authorization: "" })).toEqual(fixed);
});

test("serializing the call's credentials does not reveal them", async () => {
  const all = await of({ authorization: "abc", "x-token": "t0k3n", "x-token-secret": "s3cret" });
  expect(JSON.stringify(all)).not.toMatch(/abc|t0k3n|s3cret/);
});

test("pages may send the caller's key in a header of any name over every protocol, and only the key reaches the upstream", async () => {
  const header = fc.stringMatching(/^X-[A-Za-z][A-Za-z0-9-]{0,15}[a-z]$/);
  await fc.assert(
    fc.asyncProperty(header, header, fc.boolean(), async (name, other, isOpen) => {
      fc.pre(name.toLowerCase() !== other.toLowerCase());
      const own = await start(name, [name.toLowerCase(), ...(isOpen ? ["*"] : [])]);
      const { url: baseUrl } = own;
      const preflight = await fetch(`${baseUrl}/echo.v1.EchoService/Echo`, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": `${name}, ${other}`.toLowerCase(),
        },
      });
      const allowed = preflight.headers.get("access-control-allow-headers")?.split(", ") ?? [];
      expect([name, other].map((each) => allowed.includes(each.toLowerCase()))).toEqual([true, isOpen]);
      for (const transport of [
        createConnectTransport({ baseUrl, httpVersion: "1.1" }),
        createGrpcTransport({ baseUrl }),
        createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
      ]) {
        received = {};
        await createClient(EchoService, transport).echo(
          { text: "a" },
          { headers: { [name]: "callers-key-9", [other]: "stays-here", origin: "https://app.example" } },
        );
        expect(received["x-api-key"]).toBe("callers-key-9");
        expect(JSON.stringify(received)).not.toContain("stays-here");
      }
      await own.close();
    }),
    { numRuns: 8 },
  );
});
