/** Tests what the console reveals without a token, and the client with which people sign in to it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Flow } from "../../authorization/src/interaction.ts";
import { CONSOLE_CLIENT_ID } from "../../gateway/src/call/console-client.ts";
import {
  type AuthorizedGateway,
  approve,
  PUBLIC_URL,
  startAuthorized,
  stubSignIn,
} from "../support/authorized-gateway.ts";
import { OAuthSteps, REDIRECT_URI } from "../support/oauth-steps.ts";

const DATA = ["about.json", "schema.binpb", "comments.json", "state.json"];
const OWN = `${PUBLIC_URL}/`;

let served: AuthorizedGateway;
let steps: OAuthSteps;
let flow: Flow | undefined;

beforeAll(async () => {
  const signIn = stubSignIn((each) => {
    flow = each;
    return approve(each);
  });
  served = await startAuthorized({ signIn }, { console: true });
  steps = new OAuthSteps(served);
});
afterAll(() => served.close());

/** Signs in to the console; resolves with the tokens. */
async function signIn(scope?: string) {
  const code = await steps.code(CONSOLE_CLIENT_ID, { redirect_uri: OWN, scope });
  return (await steps.redeem(CONSOLE_CLIENT_ID, code, { redirect_uri: OWN })).body;
}

const withToken = (token: unknown) => ({ headers: { authorization: `Bearer ${String(token)}` } });

test("the page, its script and its styles are open, and the same as for a gateway without methods", async () => {
  const page = await steps.request("/");
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/echo/i);
  const assets = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(assets).toHaveLength(2);
  for (const path of assets) {
    const { status, text } = await steps.request(path);
    expect(status).toBe(200);
    expect(text).not.toMatch(/echo\.v1|EchoService/);
  }
});

test.each(DATA)("%s needs a valid token", async (name) => {
  const path = `/console/${name}`;
  const { access_token: token } = await signIn();
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Basic YTpi" }]) {
    const rejected = await steps.request(path, { headers });
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get("www-authenticate")).toContain("resource_metadata=");
    expect(rejected.text).not.toMatch(/echo/i);
    expect(rejected.body.code).toBe("unauthenticated");
  }
  const inQuery = await steps.request(`${path}?access_token=${String(token)}`);
  expect(inQuery.status).toBe(400);
  const accepted = await steps.request(path, withToken(token));
  expect(accepted.status).toBe(200);
  expect(accepted.headers.get("cache-control")).toBe("no-store");
});

test("a revoked token reads no data", async () => {
  const { access_token: token, refresh_token: refresh } = await signIn();
  expect((await steps.request("/console/about.json", withToken(token))).status).toBe(200);
  await steps.post("/revoke", { client_id: CONSOLE_CLIENT_ID, token: String(refresh) });
  await steps.post("/revoke", { client_id: CONSOLE_CLIENT_ID, token: String(token) });
  expect((await steps.request("/console/about.json", withToken(token))).status).toBe(401);
});

test("the console is a public client with a name, and has the scopes that it asks for", async () => {
  expect(await signIn("talk")).toMatchObject({ token_type: "Bearer", scope: "talk" });
  expect(await signIn(undefined)).toMatchObject({ scope: "echo talk", refresh_token: expect.any(String) });
  expect(flow?.client).toEqual({
    id: CONSOLE_CLIENT_ID,
    name: "The console of this gateway",
    uri: undefined,
    isRegistered: false,
    redirectHost: "gateway.test",
  });
});

test.each([
  ["the origin without a path", PUBLIC_URL],
  ["another path", `${PUBLIC_URL}/console/about.json`],
  ["a query", `${OWN}?a=b`],
  ["a fragment", `${OWN}#a`],
  ["another port", `${PUBLIC_URL}:8443/`],
  ["the same port as a number", `${PUBLIC_URL}:443/`],
  ["the address of a program on the machine", "http://127.0.0.1/"],
  ["another client's address", REDIRECT_URI],
])("the console gets no code at %s", async (_, redirectUri) => {
  const end = await steps.authorize(CONSOLE_CLIENT_ID, { redirect_uri: redirectUri });
  if (end instanceof URL) throw new Error(end.href);
  expect([end.status, end.headers.get("location")]).toEqual([400, null]);
});

test("no other client gets a code at the address of the console", async () => {
  const end = await steps.authorize(await steps.publicClient(), { redirect_uri: OWN });
  if (end instanceof URL) throw new Error(end.href);
  expect([end.status, end.headers.get("location")]).toEqual([400, null]);
});

test.each([
  ["without the console", {}, { console: false }],
  ["if nobody can sign in", { signIn: undefined }, { console: true }],
])("%s, there is no client for it", async (_, options, others) => {
  const without = await startAuthorized(options, others);
  const own = new OAuthSteps(without);
  const end = await own.authorize(CONSOLE_CLIENT_ID, { redirect_uri: OWN });
  expect(end instanceof URL ? end : end.status).toBe(400);
  await without.close();
});
