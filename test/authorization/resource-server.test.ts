import http from "node:http";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { EchoService } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { Health } from "../../gateway/src/gen/grpc/health/v1/health_pb.ts";
import { type RawCall, type RawClient, rawClient } from "../../gateway/src/testing/raw-call.ts";
import { hashOf } from "../../runtime/src/text/hash.ts";
import {
  type AuthorizedGateway,
  asProxy,
  FORWARDED,
  PUBLIC_URL,
  startAuthorized,
} from "../support/authorized-gateway.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

const SECRET = "a secret of thirty-two characters and more";
const VIA_PROXY = { interceptors: [asProxy] };
const store = new SqliteStore({ file: ":memory:" });
let upstream: http.Server;
let received: http.IncomingHttpHeaders[] = [];
let fast: AuthorizedGateway;
let slow: AuthorizedGateway;
let other: AuthorizedGateway;
let clients: Map<AuthorizedGateway, RawClient>;

const machine = {
  client_secret: hashOf(SECRET),
  token_endpoint_auth_method: "client_secret_post",
  grant_types: ["client_credentials"],
  response_types: [],
  redirect_uris: [],
} as const;

beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received.push(request.headers);
    response.setHeader("content-type", "application/json").end('{"text":"from upstream"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const upstreams = { echo: { baseUrl, credentials: { apiKey: "key" } } };
  const scopes = [
    { name: "echo", methods: ["echo.v1.EchoService/Echo"] },
    { name: "other", methods: ["grpc.reflection.*"] },
  ];
  const options = { clients: [{ client_id: "machine", ...machine }] as never, store, scopes };
  fast = await startAuthorized(options, { upstreams });
  slow = await startAuthorized(options, { upstreams, fastPath: false });
  other = await startAuthorized({ ...options, publicUrl: "https://other.test" }, { upstreams, hosts: ["*"] });
  clients = new Map([fast, slow, other].map((each) => [each, rawClient(each.gateway.port)]));
});
afterAll(async () => {
  for (const client of clients.values()) client.close();
  await Promise.all([fast, slow, other].map((each) => each.close()));
  upstream.closeAllConnections();
  upstream.close();
});

async function tokenOf(scope: string): Promise<string> {
  const form = { grant_type: "client_credentials", client_id: "machine", client_secret: SECRET, scope };
  return String((await new OAuthSteps(fast).token(form)).body.access_token);
}

interface Shape {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly type: string | undefined;
  readonly query?: string;
  readonly isGrpc?: boolean;
}

const MESSAGE = encodeURIComponent('{"text":"a"}');
const SHAPES: readonly Shape[] = [
  { name: "Connect with JSON", method: "POST", type: "application/json" },
  { name: "Connect with protobuf", method: "POST", type: "application/proto" },
  {
    name: "Connect by GET",
    method: "GET",
    type: undefined,
    query: `?connect=v1&encoding=json&message=${MESSAGE}`,
  },
  { name: "a Connect stream", method: "POST", type: "application/connect+json" },
  { name: "gRPC", method: "POST", type: "application/grpc", isGrpc: true },
  { name: "gRPC with protobuf", method: "POST", type: "application/grpc+proto", isGrpc: true },
  { name: "gRPC-Web", method: "POST", type: "application/grpc-web+proto", isGrpc: true },
  { name: "gRPC-Web in base64", method: "POST", type: "application/grpc-web-text", isGrpc: true },
  { name: "no protocol", method: "POST", type: "text/plain" },
];

const REFUSALS = [
  {
    name: "no token",
    authorization: undefined,
    status: 401,
    grpc: 16,
    challenge:
      /^Bearer resource_metadata="https:\/\/gateway\.test\/\.well-known\/oauth-protected-resource", scope="echo"$/,
  },
  {
    name: "another scheme",
    authorization: "Basic YTpi",
    status: 401,
    grpc: 16,
    challenge: /^Bearer resource_metadata/,
  },
  {
    name: "an unknown token",
    authorization: `Bearer ${"a".repeat(43)}`,
    status: 401,
    grpc: 16,
    challenge: /error="invalid_token"/,
  },
  {
    name: "a token of another kind",
    authorization: "Bearer ghp_abc.def",
    status: 401,
    grpc: 16,
    challenge: /error="invalid_token"/,
  },
  {
    name: "no token after the scheme",
    authorization: "Bearer",
    status: 400,
    grpc: 3,
    challenge: /error="invalid_request"/,
  },
  {
    name: "two tokens",
    authorization: "Bearer a b",
    status: 400,
    grpc: 3,
    challenge: /error="invalid_request"/,
  },
  {
    name: "a malformed token",
    authorization: "Bearer a,b",
    status: 400,
    grpc: 3,
    challenge: /error="invalid_request"/,
  },
  {
    name: "a token with an insufficient scope",
    authorization: "other",
    status: 403,
    grpc: 7,
    challenge: /error="insufficient_scope", scope="echo"/,
  },
] as const;

const CASES = SHAPES.flatMap((shape) =>
  (["1.1", "2"] as const).flatMap((version) =>
    REFUSALS.map((rejection) => [shape, version, rejection] as const),
  ),
);

test.each(
  CASES.map(
    ([shape, version, rejection]) =>
      [`${shape.name} over HTTP/${version}`, rejection.name, shape, version, rejection] as const,
  ),
)(
  "a call by %s with %s is rejected on both paths",
  async (_, __, { method, type, query = "", isGrpc = false }, version, rejection) => {
    const authorization =
      rejection.authorization === "other" ? `Bearer ${await tokenOf("other")}` : rejection.authorization;
    for (const gateway of [fast, slow]) {
      const response = await clients.get(gateway)?.send({
        version,
        method,
        path: `/echo.v1.EchoService/Echo${query}`,
        headers: {
          ...FORWARDED,
          ...(version === "1.1" ? {} : { ":authority": "127.0.0.1" }),
          ...(type === undefined ? {} : { "content-type": type }),
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: method === "POST" ? Buffer.from("{}") : undefined,
      } satisfies RawCall);
      expect(response?.status).toBe(isGrpc ? 200 : rejection.status);
      expect(response?.headers["www-authenticate"]).toMatch(rejection.challenge);
      expect(response?.headers["cache-control"]).toBe("no-store");
      if (isGrpc) expect(response?.headers["grpc-status"]).toBe(String(rejection.grpc));
    }
    expect(received).toEqual([]);
  },
);

test("a request with two Authorization headers is rejected", async () => {
  const { port } = fast.gateway;
  const headers = [
    ...Object.entries(FORWARDED),
    ["Host", "127.0.0.1"],
    ["Authorization", "Bearer a"],
    ["authorization", "Bearer b"],
    ["Content-Length", "0"],
  ].flat();
  const status = await new Promise((resolve) => {
    const request = http.request({ port, method: "POST", path: "/echo.v1.EchoService/Echo", headers });
    request.on("response", (response) => resolve(response.resume().statusCode)).end();
  });
  expect(status).toBe(400);
});

test.each(["access_token", "access%5Ftoken", "%61ccess_token"])(
  "a token in the query (%s) is rejected, even if the header contains a valid token",
  async (name) => {
    const token = await tokenOf("echo");
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const response = await fast.fetch(`${PUBLIC_URL}/echo.v1.EchoService/Echo?${name}=${token}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      });
      expect(response.status).toBe(400);
      expect(response.headers.get("www-authenticate")).toContain("invalid_request");
    }
    expect(JSON.stringify(fast.lines)).not.toContain(token);
  },
);

test("every protocol accepts a valid token, and no upstream receives it", async () => {
  const token = await tokenOf("echo");
  for (const gateway of [fast, slow]) {
    const { url } = gateway.gateway;
    const transports = [
      createConnectTransport({ baseUrl: url, ...VIA_PROXY, httpVersion: "1.1" }),
      createConnectTransport({ baseUrl: url, ...VIA_PROXY, httpVersion: "2", useBinaryFormat: true }),
      createConnectTransport({ baseUrl: url, ...VIA_PROXY, httpVersion: "1.1", useHttpGet: true }),
      createGrpcTransport({ baseUrl: url, ...VIA_PROXY }),
      createGrpcWebTransport({ baseUrl: url, ...VIA_PROXY, httpVersion: "1.1" }),
    ];
    for (const transport of transports) {
      const client = createClient(EchoService, transport);
      const headers = { authorization: `Bearer ${token}` };
      expect((await client.echo({ text: "a" }, { headers })).text).toBe("from upstream");
    }
  }
  expect(received.length).toBe(10);
  expect(JSON.stringify(received)).not.toContain(token);
  received = [];
});

test.each([
  ["Connect", () => createConnectTransport({ baseUrl: fast.gateway.url, ...VIA_PROXY, httpVersion: "1.1" })],
  ["gRPC", () => createGrpcTransport({ baseUrl: fast.gateway.url, ...VIA_PROXY })],
  ["gRPC-Web", () => createGrpcWebTransport({ baseUrl: fast.gateway.url, ...VIA_PROXY, httpVersion: "1.1" })],
])("clients of %s can read the reason for a rejection", async (_, transport) => {
  const client = createClient(EchoService, transport());
  const error = ConnectError.from(await client.echo({}).catch((reason: unknown) => reason));
  expect(error.code).toBe(Code.Unauthenticated);
  expect(error.rawMessage).toBe("an access token is needed: send Authorization: Bearer with every request");
  expect(error.metadata.get("www-authenticate")).toContain("resource_metadata=");
});

test("every request needs a token, even on the same connection", async () => {
  const token = await tokenOf("echo");
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: fast.gateway.url, ...VIA_PROXY }));
  await client.echo({}, { headers: { authorization: `Bearer ${token}` } });
  await expect(client.echo({})).rejects.toThrow("an access token is needed");
});

test("a token of another server is rejected, even if both servers share a store", async () => {
  const token = await tokenOf("echo");
  const response = await clients.get(other)?.send({
    version: "1.1",
    method: "POST",
    path: "/echo.v1.EchoService/Echo",
    headers: { ...FORWARDED, "content-type": "application/json", authorization: `Bearer ${token}` },
    body: Buffer.from("{}"),
  });
  expect(response?.status).toBe(401);
  expect(response?.headers["www-authenticate"]).toContain("https://other.test/");
});

test("health is public, but reflection, pages and service names are not", async () => {
  // Health is public over http too, since probes inside the network use http.
  const transport = createGrpcTransport({ baseUrl: fast.gateway.url });
  expect((await createClient(Health, transport).check({})).status).toBe(1);
  expect((await createClient(Health, transport).list({})).statuses).not.toHaveProperty([
    "echo.v1.EchoService",
  ]);
  const steps = new OAuthSteps(fast);
  for (const path of ["/healthz", "/readyz"]) expect((await steps.request(path)).status).toBe(200);
  const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  for (const path of ["/", reflection, "/unknown.v1.Service/Method", "/favicon.ico"]) {
    const answer = await steps.request(path, { method: path === "/" ? "GET" : "POST" });
    expect(answer.status, path).toBe(401);
    expect(answer.text).not.toContain("echo.v1");
  }
  const token = await tokenOf("echo");
  expect((await steps.call(token, "unknown.v1.Service/Method")).status).toBe(404);
});

test("health and reflection can each be made public or protected", async () => {
  const opened = await startAuthorized({ open: { health: false, reflection: true } });
  const steps = new OAuthSteps(opened);
  expect((await steps.request("/grpc.health.v1.Health/Check", { method: "POST" })).status).toBe(401);
  expect((await steps.request("/healthz")).status).toBe(200);
  const reflection = await steps.request("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", {
    method: "POST",
  });
  expect(reflection.status).not.toBe(401);
  await opened.close();
});

test("pages of configured origins may send tokens and read the challenge", async () => {
  const gateway = await startAuthorized({}, { origins: ["https://app.example"] });
  const origin = "https://app.example";
  const path = `${PUBLIC_URL}/echo.v1.EchoService/Echo`;
  const preflight = await gateway.fetch(path, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    },
  });
  expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
  const rejected = await gateway.fetch(path, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: "{}",
  });
  expect(rejected.status).toBe(401);
  expect(rejected.headers.get("access-control-expose-headers")).toContain("www-authenticate");
  const elsewhere = await gateway.fetch(path, {
    method: "OPTIONS",
    headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
  });
  expect(elsewhere.headers.get("access-control-allow-origin")).toBeNull();
  await gateway.close();
});

test("rejections are counted and logged without the token", async () => {
  const gateway = await startAuthorized({}, { metrics: { port: 0 } });
  const steps = new OAuthSteps(gateway);
  const token = "b".repeat(43);
  await steps.call(token);
  await steps.token({ grant_type: "client_credentials", client_id: "nobody", client_secret: token });
  // Client-supplied values share one metric series.
  for (const grant of ["password", "made up", "toString", ""]) {
    await steps.token({ grant_type: grant, client_id: "a" });
  }
  const id = await steps.publicClient();
  const code = await steps.code(id);
  await steps.redeem(id, code);
  await steps.redeem(id, code);
  const metrics = await (await fetch(String(gateway.gateway.metricsUrl))).text();
  const grants = metrics.split("\n").filter((line) => line.startsWith("connect_rest_token_grants_total{"));
  expect(grants.sort()).toEqual([
    'connect_rest_token_grants_total{grant="authorization_code",outcome="invalid_grant"} 1',
    'connect_rest_token_grants_total{grant="authorization_code",outcome="ok"} 1',
    'connect_rest_token_grants_total{grant="client_credentials",outcome="invalid_client"} 1',
    'connect_rest_token_grants_total{grant="other",outcome="invalid_client"} 4',
  ]);
  expect(metrics).toContain('connect_rest_token_reuses_total{kind="code"} 1');
  expect(metrics).toContain('connect_rest_token_checks_total{outcome="invalid"} 1');
  expect(metrics).toContain(
    'connect_rest_authorization_requests_total{endpoint="token",outcome="invalid_client"} 5',
  );
  expect(metrics).toContain('connect_rest_rejected_requests_total{status="401"} 1');
  expect(JSON.stringify(gateway.lines) + metrics).not.toContain(token);
  expect(gateway.lines).toContainEqual(
    expect.objectContaining({ endpoint: "token", outcome: "invalid_client" }),
  );
  await gateway.close();
});
