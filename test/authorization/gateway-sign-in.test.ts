import { afterEach, beforeEach, expect, test } from "vitest";
import type { ProviderSettings } from "../../authorization/src/sign-in/create-sign-in.ts";
import {
  type OAuth1TestProvider,
  type OAuth2TestProvider,
  startOAuth1Provider,
  startOAuth2Provider,
} from "../../authorization/src/testing/provider-server.ts";
import { providerSettings, signInSettings } from "../../authorization/src/testing/sign-in-world.ts";
import { PersonalEchoServiceRest } from "../../gateway/src/testing/personal-echo-rest.ts";
import { type AuthorizedGateway, PUBLIC_URL, startAuthorized } from "../support/authorized-gateway.ts";
import { startOidcProvider } from "../support/oidc-provider.ts";
import { Person, TestClient } from "../support/person.ts";

let provider: OAuth2TestProvider;
let photos: OAuth1TestProvider;
let served: AuthorizedGateway;

beforeEach(async () => {
  provider = await startOAuth2Provider();
  photos = await startOAuth1Provider();
});
afterEach(async () => {
  await served.close();
  await Promise.all([provider.close(), photos.close()]);
});

async function start(providers: readonly ProviderSettings[], baseUrl = provider.url): Promise<TestClient> {
  served = await startAuthorized(
    {},
    {
      adapters: [PersonalEchoServiceRest],
      upstreams: { echo: { baseUrl } },
      signIn: signInSettings(providers),
    },
  );
  return await TestClient.register(PUBLIC_URL, served.fetch);
}

/**
 * Returns a fetch function for browsers that sends requests for the gateway's public address to the gateway's
 * port.
 */
function everywhere(): typeof fetch {
  return (input, init) =>
    String(input).startsWith(PUBLIC_URL) ? served.fetch(input, init) : fetch(input, init);
}

async function call(
  token: string | undefined,
): Promise<{ status: number; body: string; challenge: string | null }> {
  const response = await served.fetch(`${PUBLIC_URL}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    body: '{"text":"hello"}',
  });
  const challenge = response.headers.get("www-authenticate");
  return { status: response.status, body: await response.text(), challenge };
}

test("a client's calls reach the upstream with the signed-in person's rights", async () => {
  const client = await start([providerSettings("echo", provider)]);
  const mine = await client.signIn(new Person(everywhere()));
  provider.account = "grace";
  const hers = await client.signIn(new Person(everywhere()));
  expect(await call(mine.access_token)).toMatchObject({ status: 200, body: '{"text":"demo"}' });
  expect(await call(hers.access_token)).toMatchObject({ status: 200, body: '{"text":"grace"}' });
});

test("a token that the upstream rejects is refreshed once, and the call succeeds", async () => {
  const client = await start([providerSettings("echo", provider)]);
  const { access_token } = await client.signIn(new Person(everywhere()));
  provider.expire();
  const calls = await Promise.all(Array.from({ length: 20 }, () => call(access_token)));
  expect(calls.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(provider.counts.get("/token refresh")).toBe(1);
});

test("if the upstream also rejects the refreshed token, the session ends and the client must sign in again", async () => {
  const client = await start([providerSettings("echo", provider)]);
  const { access_token, refresh_token } = await client.signIn(new Person(everywhere()));
  provider.faults.set("/echo", (_request, response) => {
    response.writeHead(401, { "content-type": "application/json" }).end("{}");
    return true;
  });
  expect((await call(access_token)).status).toBe(401);
  expect([provider.counts.get("/echo"), provider.counts.get("/token refresh")]).toEqual([2, 1]);
  provider.faults.clear();
  const after = await call(access_token);
  expect(after.status).toBe(401);
  await expect(client.refresh(refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" });
  expect((await call((await client.signIn(new Person(everywhere()))).access_token)).status).toBe(200);
});

test("revoking a client's token deletes the person's third-party tokens, and revokes them at the third party", async () => {
  const client = await start([providerSettings("echo", provider)]);
  const { access_token, refresh_token } = await client.signIn(new Person(everywhere()));
  await client.revoke(refresh_token ?? "");
  expect(provider.revoked).toHaveLength(2);
  expect((await call(access_token)).status).toBe(401);
});

test("a client that acts for itself cannot call methods that act for a person", async () => {
  await start([providerSettings("echo", provider)]);
  const register = await served.fetch(`${PUBLIC_URL}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ grant_types: ["client_credentials"], response_types: [], redirect_uris: [] }),
  });
  const { client_id, client_secret } = (await register.json()) as Record<string, string>;
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
  const response = await served.fetch(`${PUBLIC_URL}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  const { access_token } = (await response.json()) as Record<string, string>;
  const denied = await call(access_token);
  expect([denied.status, denied.body]).toEqual([403, expect.stringContaining("PERSON_REQUIRED")]);
  expect(provider.counts.get("/echo")).toBeUndefined();
});

test("a third party's token is invalid at the gateway, and the gateway's token never goes upstream", async () => {
  const client = await start([providerSettings("echo", provider)]);
  const { access_token } = await client.signIn(new Person(everywhere()));
  const sent: string[] = [];
  provider.faults.set("/echo", ({ headers }, response) => {
    sent.push(JSON.stringify(headers));
    response.end('{"text":"x"}');
    return true;
  });
  await call(access_token);
  for (const secret of provider.secrets) expect((await call(secret)).status).toBe(401);
  expect(sent).toHaveLength(1);
  expect(sent[0]).not.toContain(access_token);
});

test("a person signs in at a third-party OpenID Connect server, whose tokens are refreshed with rotation", async () => {
  const oidc = await startOidcProvider(`${PUBLIC_URL}/authorize/i/return`);
  try {
    const server = { kind: "oauth2", settings: oidc.settings } as const;
    const identity = { probe: { url: oidc.userInfo }, field: "sub" };
    const client = await start([
      { name: "oidc", title: "A foreign server", required: true, server, identity },
      providerSettings("photos", photos),
      providerSettings("echo", provider),
    ]);
    const person = new Person(everywhere());
    const { access_token } = await client.signIn(person);
    expect(person.seen.join()).toContain("Your account at A foreign server");
    expect(await call(access_token)).toMatchObject({ status: 200, body: '{"text":"demo"}' });
  } finally {
    await oidc.close();
  }
});

test("a person who declines at the third party sees a page about it, and the client gets an error", async () => {
  const client = await start([providerSettings("echo", provider)]);
  provider.faults.set("/authorize", ({ query }, response) => {
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("error", "access_denied");
    back.searchParams.set("state", query.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
    return true;
  });
  const { address } = await client.begin();
  const person = new Person(everywhere());
  const page = await person.open(address, "http://127.0.0.1:4567/");
  expect(page.text).toContain("You did not sign in at The echo");
  const { url } = await person.submit(page, "leave", "http://127.0.0.1:4567/");
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    error: "access_denied",
    iss: PUBLIC_URL,
  });
});

test("a forged consent is rejected and logged with its reason", async () => {
  const client = await start([providerSettings("echo", provider)]);
  const { address } = await client.begin();
  const person = new Person(everywhere());
  const page = await person.open(address, "none");
  const after = await person.submit(page, "allow", "none", { proof: "made up" });
  expect(after.status).toBe(403);
  expect(served.lines.at(-1)).toMatchObject({ endpoint: "sign-in", outcome: "forged_request" });
  expect(served.lines).toContainEqual(
    expect.objectContaining({ msg: "decision rejected", reason: "it has no valid proof" }),
  );
});

test("another browser can neither take part in a flow nor complete its return", async () => {
  const client = await start([providerSettings("echo", provider)]);
  const { address } = await client.begin();
  const mine = new Person(everywhere());
  let back = "";
  provider.faults.set("/authorize", ({ query }, response) => {
    back = `${query.get("redirect_uri")}?code=stolen&state=${query.get("state")}`;
    response.end("stay here");
    return true;
  });
  await mine.open(address, "none");
  const foreign = await new Person(everywhere()).open(back, "none");
  expect([foreign.status, foreign.text]).toEqual([400, expect.stringContaining("begun in another browser")]);
  expect(provider.counts.get("/token code")).toBeUndefined();
});
