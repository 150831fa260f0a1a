import type { IncomingMessage } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { createRest, type Rest } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { httpUpstream, sendJson, type TestServer } from "../testing/servers.ts";
import { thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import type { Credentials, CredentialsSource } from "./credentials.ts";

const OPEN: Array<Rest | TestServer> = [];

afterEach(async () => {
  for (const one of OPEN.splice(0)) await ("close" in one ? one.close() : one[Symbol.asyncDispose]());
});

const bearer = (accessToken: string, rejected?: Credentials["rejected"]): Credentials => ({
  oauth2: { accessToken },
  rejected,
});

/**
 * Starts an upstream that accepts one token. Returns the tokens that the upstream receives, and a function
 * that calls it.
 */
async function upstreamOf(credentials: CredentialsSource, accepted: string, status = 401) {
  const tokens: Array<string | undefined> = [];
  const server = await httpUpstream((request: IncomingMessage, response) => {
    const token = request.headers.authorization ?? String(request.headers["x-key"]);
    tokens.push(token);
    if (token !== `Bearer ${accepted}`) response.statusCode = status;
    sendJson(response, {});
  });
  const rules = { credentials: ["oauth2", "api_key"], apiKey: { header: "x-key" } } as const;
  const requests: string[] = [];
  const rest = createRest({
    adapters: [thingService({ rules })],
    upstreams: { things: { baseUrl: server.url, credentials } },
    onRequest: () => ({ onEnd: ({ status: ended }) => requests.push(String(ended)) }),
  });
  OPEN.push(rest, server);
  return { tokens, requests, call: () => rest.call(thingAdapter(), thingRequest({ name: "a" })) };
}

test("a token that the upstream rejects is refreshed, and the request is retried", async () => {
  let asked = 0;
  const refresh = async () => {
    asked += 1;
    return bearer("new");
  };
  const { tokens, requests, call } = await upstreamOf(() => bearer("old", refresh), "new");
  await call();
  expect(tokens).toEqual(["Bearer old", "Bearer new"]);
  expect(requests).toEqual(["401", "200"]);
  expect(asked).toBe(1);
});

test("after three rejections, the caller receives the error, and `rejected` has been called for all refreshed credentials", async () => {
  const told: string[] = [];
  const end = async () => {
    told.push("new");
    return bearer("newest", async () => {
      told.push("newest");
      return bearer("never sent");
    });
  };
  const refresh = async () => {
    told.push("old");
    return bearer("new", end);
  };
  const { tokens, call } = await upstreamOf(() => bearer("old", refresh), "another");
  const error = await failureOf(call());
  expect(error.code).toBe(Code.Unauthenticated);
  expect(tokens).toEqual(["Bearer old", "Bearer new", "Bearer newest"]);
  expect(told).toEqual(["old", "new", "newest"]);
});

test("if there are no other credentials, the caller receives the upstream's rejection", async () => {
  const { tokens, call } = await upstreamOf(() => bearer("old", async () => undefined), "new");
  expect((await failureOf(call())).code).toBe(Code.Unauthenticated);
  expect(tokens).toEqual(["Bearer old"]);
});

test.each([
  ["a ConnectError is passed on unchanged", new ConnectError("it has ended", Code.Aborted), Code.Aborted],
  ["any other error is a defect of the function", new Error("secret"), Code.Internal],
])(
  "if a credentials function fails to provide other credentials, its error reaches the caller: %s",
  async (_, thrown, code) => {
    const { call } = await upstreamOf(() => bearer("old", () => Promise.reject(thrown)), "new");
    const error = await failureOf(call());
    expect(error.code).toBe(code);
    expect(error.message).not.toContain("secret");
    const twice = await upstreamOf(
      () => bearer("old", async () => bearer("older", () => Promise.reject(thrown))),
      "new",
    );
    expect((await failureOf(twice.call())).code).toBe(code);
  },
);

test("if the upstream rejects a token while the token endpoint is down, every call gets UNAVAILABLE with a delay", async () => {
  let isDown = false;
  const endpoint = await httpUpstream((_request, response) => {
    if (isDown) response.statusCode = 503;
    sendJson(response, { access_token: "old", expires_in: 3600 });
    isDown = true;
  });
  OPEN.push(endpoint);
  const oauth2 = { tokenUrl: `${endpoint.url}/token`, clientId: "me", clientSecret: "hush" };
  const { tokens, call } = await upstreamOf({ oauth2 }, "new");
  for (let count = 0; count < 3; count += 1) {
    const error = await failureOf(call());
    expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TOKEN_FAILED"]);
    expect(retryDelayOf(error)).toBeGreaterThan(0);
  }
  expect(new Set(tokens)).toEqual(new Set(["Bearer old"]));
});

test.each([400, 403, 404, 500])(
  "a response with status %i does not cause a refresh of the token",
  async (status) => {
    let asked = 0;
    const refresh = async () => {
      asked += 1;
      return bearer("new");
    };
    const { tokens, call } = await upstreamOf(() => bearer("old", refresh), "new", status);
    await failureOf(call());
    expect([tokens, asked]).toEqual([["Bearer old"], 0]);
  },
);

test("a rejected API key does not refresh the token, and fixed credentials are never refreshed", async () => {
  let asked = 0;
  const rejected = async () => {
    asked += 1;
    return bearer("new");
  };
  const key = await upstreamOf(() => ({ apiKey: "k", rejected }), "new");
  await failureOf(key.call());
  const fixed = await upstreamOf(bearer("old", rejected), "new");
  await failureOf(fixed.call());
  expect([key.tokens, fixed.tokens, asked]).toEqual([["k"], ["Bearer old"], 0]);
});
