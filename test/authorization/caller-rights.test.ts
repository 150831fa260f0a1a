import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Credentials, ServiceAdapter } from "connect-rest-runtime";
import type { CredentialKind } from "connect-rest-runtime/internal";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { EchoServiceRest } from "../../gateway/src/testing/echo-rest.ts";
import { type AuthorizedGateway, startAuthorized } from "../support/authorized-gateway.ts";
import { MACHINE, MACHINE_SECRET } from "../support/machine-client.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

const OAUTH1 = { consumerKey: "key", consumerSecret: "secret", token: "person", tokenSecret: "person" };
let upstream: http.Server;
let received: http.IncomingHttpHeaders | undefined;
let served: AuthorizedGateway | undefined;

beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received = request.headers;
    response.setHeader("content-type", "application/json").end('{"text":"from upstream"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
});
beforeEach(async () => {
  await served?.close();
  received = undefined;
});
afterAll(async () => {
  await served?.close();
  upstream.closeAllConnections();
  upstream.close();
});

/** Starts a gateway with these credentials, for a method that accepts these kinds. */
async function start(
  credentials: Credentials,
  wanted: readonly CredentialKind[],
  isApplicationToken = false,
) {
  const { echo } = EchoServiceRest.methods;
  if (echo === undefined) throw new Error("the adapter has the method");
  const rules = { ...echo.rules, credentials: wanted };
  const adapter = { ...EchoServiceRest, methods: { echo: { ...echo, rules } } } as ServiceAdapter;
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  served = await startAuthorized(
    { clients: [MACHINE] as never },
    { adapters: [adapter], upstreams: { echo: { baseUrl, credentials, isApplicationToken } } },
  );
  return new OAuthSteps(served);
}

async function asMachine(steps: OAuthSteps) {
  const form = { grant_type: "client_credentials", client_id: "machine", client_secret: MACHINE_SECRET };
  return steps.call((await steps.token(form)).body.access_token);
}

async function asPerson(steps: OAuthSteps) {
  const id = await steps.publicClient();
  return steps.call((await steps.redeem(id, await steps.code(id))).body.access_token);
}

test("a method that needs a person rejects a client that acts for itself, and sends no request to the upstream", async () => {
  const steps = await start({ oauth1: OAUTH1 }, ["oauth1", "oauth2"]);
  const answer = await asMachine(steps);
  expect(answer).toMatchObject({ status: 403, body: { code: "permission_denied" } });
  expect(answer.text).toContain("PERSON_REQUIRED");
  expect(received).toBeUndefined();
  expect((await asPerson(steps)).status).toBe(200);
  expect(received?.authorization).toContain('oauth_token="person"');
});

test("a client that acts for itself uses the application's credentials if the method accepts them", async () => {
  const steps = await start({ oauth1: OAUTH1, apiKey: "app" }, ["oauth1", "api_key"]);
  expect((await asMachine(steps)).status).toBe(200);
  expect(received?.["x-api-key"]).toBe("app");
  expect(received?.authorization).toBeUndefined();
  expect((await asPerson(steps)).status).toBe(200);
  expect(received?.authorization).toContain('oauth_token="person"');
});

test("a signature for a client that acts for itself contains no person's token", async () => {
  const steps = await start({ oauth1: OAUTH1 }, ["oauth1", "oauth1_client"]);
  expect((await asMachine(steps)).status).toBe(200);
  expect(received?.authorization).toContain('oauth_consumer_key="key"');
  expect(received?.authorization).not.toContain("person");
});

test("a bearer token counts as a person's token, unless it is configured as the application's", async () => {
  const credentials = { oauth2: { accessToken: "bearer" } };
  expect((await asMachine(await start(credentials, ["oauth2"]))).status).toBe(403);
  await served?.close();
  expect((await asMachine(await start(credentials, ["oauth2"], true))).status).toBe(200);
  expect(received?.authorization).toBe("Bearer bearer");
});

test("if a person's credentials are missing, the error names the missing person", async () => {
  expect((await asMachine(await start({}, ["oauth1"]))).text).toContain("PERSON_REQUIRED");
});
