/** Tools for agents as a resource of the authorization server. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "./gateway.ts";
import { Program, SDKS } from "./program.ts";

let gateway: TestGateway;
let upstream: http.Server;
/** The headers of the requests that the upstream received. */
const received: http.IncomingHttpHeaders[] = [];

beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received.push(request.headers);
    request.resume();
    response.setHeader("content-type", "application/json").end('{"text":"hello"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  const credentials = ({ header }: { readonly header: Headers }) => ({
    apiKey: header.get("authorization") ?? header.get("cookie") ?? "none",
  });
  gateway = await startTestGateway(
    { mcp: {}, upstreams: { echo: { baseUrl: `http://127.0.0.1:${port}`, credentials } } },
    {
      scopes: ["Echo", "Repeat"].map((name) => ({
        name: name.toLowerCase(),
        methods: [`echo.v1.EchoService/${name}`],
      })),
    },
  );
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const ECHO = "echo_v1_EchoService_Echo";

/** Sends a request to the endpoint. */
async function post(token: string | undefined, message: object): Promise<Response> {
  return await fetch(`${gateway.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      cookie: "session=secret",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  });
}

const LIST = { method: "tools/list", params: {} };
const CALL = { method: "tools/call", params: { name: ECHO, arguments: { text: "hello" } } };

/** Registers a client that acts for itself, and returns a token with a scope. */
async function tokenOf(scope: string, resource?: string): Promise<string> {
  const registered = await fetch(`${gateway.url}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      scope,
    }),
  });
  const { client_id: id, client_secret: secret } = (await registered.json()) as Record<string, string>;
  const response = await fetch(`${gateway.url}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope, ...(resource && { resource }) }),
  });
  const { access_token: token } = (await response.json()) as { readonly access_token?: string };
  if (token === undefined) throw new Error(`no token: ${response.status}`);
  return token;
}

test("without a token, the response names the metadata of the endpoint, which names the endpoint", async () => {
  const response = await post(undefined, LIST);
  const metadata = `${gateway.url}/.well-known/oauth-protected-resource/mcp`;
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${metadata}"`);
  expect(await (await fetch(metadata)).json()).toMatchObject({
    resource: `${gateway.url}/mcp`,
    authorization_servers: [gateway.url],
  });
  expect((await post("a".repeat(43), LIST)).status).toBe(401);
});

test.each(SDKS)("an SDK signs in, and calls a tool: %s", async (release, sdk) => {
  const program = new Program();
  const serverUrl = `${gateway.url}/mcp`;
  expect(await sdk.start(program, serverUrl)).toBe("REDIRECT");
  expect(await sdk.finish(program, serverUrl)).toBe("AUTHORIZED");
  const token = program.kept?.access_token ?? "";
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { requestInit }));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain(ECHO);
  const result = await client.callTool({ name: ECHO, arguments: { text: "hello" } });
  expect(result.structuredContent).toEqual({ text: "hello" });
  await client.close();
  // the first release names no resource, so that its token is for the gateway
  expect(await gateway.echo(token)).toBe(release === "the newest" ? 401 : 200);
  expect(await sdk.start(program, serverUrl)).toBe("AUTHORIZED");
  const refreshed = program.kept?.access_token ?? "";
  expect((await post(refreshed, LIST)).status).toBe(200);
  expect(await gateway.echo(refreshed)).toBe(release === "the newest" ? 401 : 200);
});

test("a token for the gateway is valid for tools, and a token for tools is never valid for calls", async () => {
  const ofGateway = await tokenOf("echo", gateway.url);
  expect((await post(ofGateway, LIST)).status).toBe(200);
  expect(await gateway.echo(ofGateway)).toBe(200);
  for (const resource of [`${gateway.url}/mcp`, `${gateway.url}/mcp/`]) {
    const ofTools = await tokenOf("echo", resource);
    // tokens are cached, so that the order of the checks must not matter
    expect(await gateway.echo(ofTools)).toBe(401);
    expect((await post(ofTools, LIST)).status).toBe(200);
    expect(await gateway.echo(ofTools)).toBe(401);
  }
});

test("a call of a tool whose scope the token lacks gets 403 with the scope, also through another tool", async () => {
  const token = await tokenOf("repeat", `${gateway.url}/mcp`);
  expect((await post(token, LIST)).status).toBe(200);
  for (const message of [CALL, { ...CALL, params: { name: "call_method", arguments: CALL.params } }]) {
    const response = await post(token, message);
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toMatch(
      /^Bearer error="insufficient_scope", scope="echo", .*oauth-protected-resource\/mcp"$/,
    );
  }
});

test("no credentials of the client reach the upstream", async () => {
  received.length = 0;
  expect((await post(await tokenOf("echo", `${gateway.url}/mcp`), CALL)).status).toBe(200);
  expect(received.map((headers) => headers["x-api-key"])).toEqual(["none"]);
  expect(JSON.stringify(received)).not.toMatch(/bearer|cookie/i);
});
