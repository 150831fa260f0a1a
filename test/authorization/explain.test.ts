/** Tests which callers may explain which calls. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoStreamsRest } from "../../gateway/src/testing/echo-streams-rest.ts";
import { type AuthorizedGateway, startAuthorized } from "../support/authorized-gateway.ts";
import { MACHINE, MACHINE_SECRET } from "../support/machine-client.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

const EXPLAIN = "connectrest.explain.v1.ExplainService/Explain";
const ECHO = "echo.v1.EchoService/Echo";
const REPEAT = "echo.v1.EchoService/Repeat";

let upstream: http.Server;
let received: string[] = [];
let served: AuthorizedGateway;
let steps: OAuthSteps;

beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received.push(request.url ?? "");
    response.setHeader("content-type", "application/json").end('{"text":"from upstream"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const scopes = [
    { name: "all", methods: ["*"] },
    { name: "echo", methods: [ECHO] },
    { name: "support", methods: ["connectrest.explain.v1.*"] },
  ];
  served = await startAuthorized(
    { clients: [MACHINE] as never, scopes },
    { explain: true, adapters: [EchoStreamsRest], upstreams: { echo: { baseUrl } } },
  );
  steps = new OAuthSteps(served);
});
afterAll(async () => {
  await served.close();
  upstream.close();
});

async function tokenWith(scope: string): Promise<unknown> {
  const form = { grant_type: "client_credentials", client_id: "machine", client_secret: MACHINE_SECRET };
  return (await steps.token({ ...form, scope })).body.access_token;
}

async function explain(scope: string | undefined, method: string, send: boolean) {
  received = [];
  const authorization = scope === undefined ? {} : { authorization: `Bearer ${await tokenWith(scope)}` };
  const answer = await steps.request(`/${EXPLAIN}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization },
    body: JSON.stringify({ method, message: '{"text":"a"}', send, confirm: send }),
  });
  return { ...answer, received };
}

test.each([
  ["echo", ECHO, EXPLAIN],
  ["all", ECHO, EXPLAIN],
  ["explain", ECHO, ECHO],
  ["explain echo", REPEAT, REPEAT],
  ["support echo", REPEAT, REPEAT],
])("a token with the scopes %s does not suffice to explain %s", async (scope, method, missing) => {
  for (const send of [false, true]) {
    const { status, headers, text, received: sent } = await explain(scope, method, send);
    expect({ status, sent }).toEqual({ status: 403, sent: [] });
    expect(text).toContain("SCOPE_MISSING");
    expect(text).toContain(`${missing.replace("/", ".")} needs`);
    expect(headers.get("www-authenticate")).toContain('error="insufficient_scope"');
  }
});

test.each([
  ["explain echo", ECHO],
  ["explain all", REPEAT],
  ["support all", REPEAT],
])("a token with the scopes %s suffices to explain %s", async (scope, method) => {
  const dry = await explain(scope, method, false);
  expect({ status: dry.status, sent: dry.received }).toEqual({ status: 200, sent: [] });
  const { status, body, received: sent } = await explain(scope, method, true);
  expect({ status, sent }).toEqual({ status: 200, sent: [method === ECHO ? "/echo" : "/repeat"] });
  expect(body).toMatchObject({ sent: true });
});

test("a caller without a token learns the scope of explanations", async () => {
  const { status, headers } = await explain(undefined, ECHO, false);
  expect(status).toBe(401);
  expect(headers.get("www-authenticate")).toContain('scope="support"');
});

test("the metadata lists the scope of explanations only if explanations are served", async () => {
  const path = "/.well-known/oauth-authorization-server";
  expect((await steps.request(path)).body.scopes_supported).toEqual(["all", "echo", "support", "explain"]);
  const without = await startAuthorized({});
  const { body } = await new OAuthSteps(without).request(path);
  expect(body.scopes_supported).toEqual(["echo", "talk"]);
  await without.close();
});

test("the log line of a sent call names the client of the token", async () => {
  await explain("explain echo", ECHO, true);
  expect(served.lines.findLast(({ method }) => method === ECHO)).toMatchObject({
    clientId: "machine",
    code: "ok",
  });
});
