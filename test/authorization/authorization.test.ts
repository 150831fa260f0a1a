import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type AuthorizedGateway,
  PUBLIC_URL,
  startAuthorized,
  TestBrowser,
} from "../support/authorized-gateway.ts";
import { OAuthSteps } from "../support/oauth-steps.ts";

let served: AuthorizedGateway;
let server: oauth.AuthorizationServer;
const REDIRECT = "http://127.0.0.1:4567/callback";

beforeAll(async () => {
  served = await startAuthorized();
  server = await discover();
});
afterAll(() => served.close());

function options() {
  const { fetch } = served;
  return { [oauth.customFetch]: (url: string, init: object) => fetch(url, init) };
}

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(PUBLIC_URL);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...options() });
  return oauth.processDiscoveryResponse(issuer, response);
}

async function register(metadata: Partial<oauth.OmitSymbolProperties<oauth.Client>>): Promise<oauth.Client> {
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, options());
  return oauth.processDynamicClientRegistrationResponse(response);
}

/** Signs in and redeems the code. */
async function signIn(client: oauth.Client, authentication: oauth.ClientAuth, redirect = REDIRECT) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint ?? "");
  const parameters = {
    client_id: client.client_id,
    response_type: "code",
    redirect_uri: redirect,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    scope: "echo talk",
    state,
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const end = await new TestBrowser(served.fetch).open(address.href);
  if (!(end instanceof URL)) throw new Error(await end.text());
  const callback = oauth.validateAuthResponse(server, client, end, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    callback,
    redirect,
    verifier,
    options(),
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

async function call(token: string | undefined, method = "Echo"): Promise<Response> {
  return served.fetch(`${PUBLIC_URL}/echo.v1.EchoService/${method}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: '{"text":"hello"}',
  });
}

test("a strict client registers, signs a person in, calls, refreshes and revokes", async () => {
  const client = await register({
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: "none",
    client_name: "test",
    grant_types: ["authorization_code", "refresh_token"],
  });
  const tokens = await signIn(client, oauth.None());
  expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3600, scope: "echo talk" });
  expect((await call(tokens.access_token)).status).toBe(200);
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? "", options()),
  );
  expect((await call(refreshed.access_token)).status).toBe(200);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token ?? "", options()),
  );
  expect((await call(refreshed.access_token)).status).toBe(401);
  expect((await call(tokens.access_token)).status).toBe(401);
});

test("a client that knows only the default paths registers, signs in and calls", async () => {
  const steps = new OAuthSteps(served);
  const id = await steps.publicClient();
  const { body } = await steps.redeem(id, await steps.code(id));
  expect((await steps.call(body.access_token)).status).toBe(200);
});

test("a strict client registers and gets a token with client credentials", async () => {
  const client = await register({ grant_types: ["client_credentials"], redirect_uris: [] });
  const authentication = oauth.ClientSecretBasic(String(client.client_secret));
  const response = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    authentication,
    { scope: "echo" },
    options(),
  );
  const tokens = await oauth.processClientCredentialsResponse(server, client, response);
  expect((await call(tokens.access_token)).status).toBe(200);
  expect((await call(undefined)).status).toBe(401);
});
