import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, test } from "vitest";
import { visit } from "./browser.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";

const REDIRECT = "http://127.0.0.1:9/callback";
const INSECURE = { [oauth.allowInsecureRequests]: true };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(gateway.url);
  const response = await oauth.discoveryRequest(issuer, { ...INSECURE, algorithm: "oauth2" });
  return await oauth.processDiscoveryResponse(issuer, response);
}

async function registered(
  server: oauth.AuthorizationServer,
  method: "none" | "client_secret_basic" | "client_secret_post",
): Promise<{ client: oauth.Client; auth: oauth.ClientAuth }> {
  const metadata = {
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: method,
    client_name: "strict",
  };
  const response = await oauth.dynamicClientRegistrationRequest(server, metadata, INSECURE);
  const client = await oauth.processDynamicClientRegistrationResponse(response);
  const secret = String(client.client_secret);
  const auth = {
    none: () => oauth.None(),
    client_secret_basic: () => oauth.ClientSecretBasic(secret),
    client_secret_post: () => oauth.ClientSecretPost(secret),
  }[method]();
  return { client, auth };
}

test.each(["none", "client_secret_basic", "client_secret_post"] as const)(
  "a strict client registers, signs in, refreshes and revokes: %s",
  async (method) => {
    const server = await discovered();
    const { client, auth } = await registered(server, method);
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const url = new URL(server.authorization_endpoint ?? "");
    url.search = new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      scope: "echo",
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      resource: gateway.url,
    }).toString();
    const back = new URL((await visit(url, REDIRECT)).url);
    const parameters = oauth.validateAuthResponse(server, client, back, state);
    expect(parameters.get("iss")).toBe(gateway.url);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      auth,
      parameters,
      REDIRECT,
      verifier,
      INSECURE,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect(await gateway.echo(tokens.access_token)).toBe(200);
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, auth, tokens.refresh_token ?? "", INSECURE),
    );
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    expect(await gateway.echo(refreshed.access_token)).toBe(200);
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, auth, refreshed.refresh_token ?? "", INSECURE),
    );
    expect(await gateway.echo(refreshed.access_token)).toBe(401);
    const again = await oauth.refreshTokenGrantRequest(
      server,
      client,
      auth,
      refreshed.refresh_token ?? "",
      INSECURE,
    );
    await expect(oauth.processRefreshTokenResponse(server, client, again)).rejects.toMatchObject({
      error: "invalid_grant",
    });
  },
);

test("a strict client finds the authorization server through the metadata of the resource", async () => {
  const resource = new URL(gateway.url);
  const response = await oauth.resourceDiscoveryRequest(resource, INSECURE);
  const metadata = await oauth.processResourceDiscoveryResponse(resource, response);
  expect(metadata.authorization_servers).toEqual([gateway.url]);
});
