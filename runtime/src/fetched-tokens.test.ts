import { Code, createClient } from "@connectrpc/connect";
import { MockAgent } from "undici";
import { afterEach, expect, test } from "vitest";
import type { CallReport, RestOptions } from "./call/options.ts";
import type { CredentialsSource } from "./credentials/credentials.ts";
import { reasonOf } from "./errors/rest-error.ts";
import { createRest, type Rest } from "./rest.ts";
import { failureOf } from "./testing/failure.ts";
import { httpUpstream, sendJson, type TestServer, textOfRequest } from "./testing/servers.ts";
import { StreamService, streamService, uploadAdapter } from "./testing/stream-service.ts";
import { thingAdapter, thingRequest, thingService } from "./testing/thing-service.ts";

const OPEN: Array<Rest | TestServer> = [];

afterEach(async () => {
  for (const one of OPEN.splice(0)) await ("close" in one ? one.close() : one[Symbol.asyncDispose]());
});

/** An API and its token endpoint. Counts requests, and accepts only the tokens in `good`. */
class Api {
  readonly good = new Set<string>();
  readonly seen: string[] = [];
  tokens = 0;
  readonly bodies: string[] = [];

  async start(): Promise<string> {
    const server = await httpUpstream(async (request, response) => {
      const body = await textOfRequest(request);
      if (request.url === "/token") {
        this.tokens++;
        this.bodies.push(body);
        const token = `token-${this.tokens}`;
        this.good.add(token);
        sendJson(response, { access_token: token, token_type: "bearer", expires_in: 3600 });
        return;
      }
      const token = (request.headers.authorization ?? "").replace("Bearer ", "");
      this.seen.push(token);
      response.statusCode = this.good.has(token) ? 200 : 401;
      sendJson(response, {});
    });
    OPEN.push(server);
    return server.url;
  }
}

const rules = { credentials: ["oauth2"] } as const;
const grantAt = (url: string) => ({
  oauth2: { tokenUrl: `${url}/token`, clientId: "me", clientSecret: "hush" },
});

function restOf(url: string, credentials: CredentialsSource, options: Partial<RestOptions> = {}): Rest {
  const rest = createRest({
    adapters: [thingService({ rules })],
    upstreams: { things: { baseUrl: url, credentials } },
    ...options,
  });
  OPEN.push(rest);
  return rest;
}

const call = (rest: Rest) => rest.call(thingAdapter({ rules }), thingRequest({ name: "a" }));

test("a call fetches a token, later calls reuse it, and a method without credentials fetches none", async () => {
  const api = new Api();
  const url = await api.start();
  const rest = restOf(url, grantAt(url));
  await Promise.all(Array.from({ length: 10 }, () => call(rest)));
  expect([api.tokens, new Set(api.seen)]).toEqual([1, new Set(["token-1"])]);
  const open = createRest({
    adapters: [thingService({ rules: { credentials: ["none", "oauth2"] } })],
    upstreams: { things: { baseUrl: url, credentials: grantAt(url) } },
  });
  OPEN.push(open);
  await failureOf(open.call(thingAdapter(), thingRequest({ name: "a" })));
  expect(api.tokens).toBe(1);
});

test("a token that the upstream rejects is refreshed once for all concurrent calls, and each request is retried once", async () => {
  const api = new Api();
  const url = await api.start();
  const reports: CallReport[] = [];
  const rest = restOf(url, grantAt(url), { onCall: (report) => reports.push(report) });
  await call(rest);
  api.good.clear();
  await Promise.all(Array.from({ length: 10 }, () => call(rest)));
  expect(api.tokens).toBe(2);
  expect(reports.map(({ attempts }) => attempts).slice(1)).toEqual(Array.from({ length: 10 }, () => 2));
});

test("an upstream that rejects every token causes only one additional token request", async () => {
  const api = new Api();
  const url = await api.start();
  const rest = restOf(url, grantAt(url));
  api.good.add = () => api.good;
  const errors = [];
  for (let count = 0; count < 5; count++) errors.push(await failureOf(call(rest)));
  expect(api.tokens).toBe(2);
  const [first, ...others] = errors.map((error) => [error.code, reasonOf(error)]);
  expect(first).toEqual([Code.Internal, "UPSTREAM_CREDENTIALS"]);
  // until another token request is allowed, calls fail
  for (const other of others) expect(other).toEqual([Code.Unavailable, "UPSTREAM_TOKEN_FAILED"]);
});

test("a streamed request whose token is rejected is not retried, and the next request has another token", async () => {
  const api = new Api();
  const url = await api.start();
  const rest = createRest({
    adapters: [streamService("upload", uploadAdapter(rules) as never)],
    upstreams: { things: { baseUrl: url, credentials: grantAt(url) } },
  });
  OPEN.push(rest);
  const client = createClient(StreamService, rest.transport);
  async function* chunks() {
    yield { name: "a", chunk: Buffer.from("x") };
  }
  await client.upload(chunks() as never);
  api.good.clear();
  const error = await failureOf(client.upload(chunks() as never));
  expect([reasonOf(error), api.seen]).toEqual(["UPSTREAM_TOKEN_REPLACED", ["token-1", "token-1"]]);
});

test("token requests use the dispatcher in the options, like all requests of the upstream", async () => {
  const agent = new MockAgent({ connections: 1 });
  agent.disableNetConnect();
  const body = { access_token: "mocked", token_type: "bearer" };
  agent.get("https://id.example").intercept({ path: "/token", method: "POST" }).reply(200, body);
  agent
    .get("https://api.example")
    .intercept({ path: /.*/, headers: { authorization: "Bearer mocked" } })
    .reply(200, "{}", { headers: { "content-type": "application/json" } });
  const rest = restOf("https://api.example", grantAt("https://id.example"), { dispatcher: agent });
  await call(rest);
  agent.assertNoPendingInterceptors();
  await agent.close();
});

test("the error for an unreachable token endpoint names the endpoint, and does not count as a failure of the upstream", async () => {
  const api = new Api();
  const url = await api.start();
  const rest = restOf(url, grantAt("http://127.0.0.1:1"));
  const error = await failureOf(call(rest));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TOKEN_FAILED"]);
  expect(error.rawMessage).toMatch(
    /^upstream things: no access token from the token endpoint http:\/\/127\.0\.0\.1:1\/token: no connection was established: .*; retry in \d+ ms$/,
  );
});

test.each([
  ["http://id.example/token", "http to id.example"],
  ["https://me:pw@id.example/token", "a user or a password in it"],
  ["ftp://id.example", "the scheme ftp:"],
  ["token", "no URL"],
])(
  "an invalid address of a token endpoint is rejected when the upstream is created: %s",
  async (tokenUrl, problem) => {
    const credentials = { oauth2: { tokenUrl, clientId: "me", clientSecret: "hush" } };
    const error = await failureOf(() => restOf("https://api.example", credentials));
    expect(error.rawMessage).toBe(
      `upstream things: option credentials.oauth2.tokenUrl: expected an https address without user and fragment (http on localhost, 127.0.0.1 and ::1 alone), got ${problem}`,
    );
  },
);
