/** Tests `npm start -- --auth`: authorization on one machine, with the sandbox as the third party. */
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Run, runCli } from "../../gateway/src/testing/child.ts";
import { CLIENT_REDIRECT, Person, TestClient } from "../support/person.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

let run: Run;
let url: string;

beforeAll(async () => {
  run = runCli(["serve", "--auth"], ROOT);
  url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
});
afterAll(async () => {
  run.process.kill("SIGTERM");
  await run.exit;
});

/** Signs in on the sandbox's pages, and consents at the gateway. */
async function signIn(user: string, decision = "allow") {
  const client = await TestClient.register(url);
  const person = new Person();
  const { address, redeem } = await client.begin();
  const login = await person.open(address, CLIENT_REDIRECT);
  expect(login.text).toContain("Allow Sandbox demo application?");
  const credentials = { user, password: `${user}-password` };
  const consent = await person.submit(login, decision, CLIENT_REDIRECT, credentials);
  return { client, person, consent, redeem };
}

async function call(token: string, method: string, body = "{}"): Promise<Response> {
  return fetch(`${url}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body,
  });
}

async function tokensOf(user: string) {
  const { client, person, consent, redeem } = await signIn(user);
  expect(consent.text).toContain("Your account at the blog of the sandbox");
  expect(consent.text).toContain(user);
  const { url: back } = await person.submit(consent, "allow", CLIENT_REDIRECT);
  return { client, tokens: await redeem(back) };
}

test("npm start -- --auth prints the next steps", async () => {
  const line = await run.line(/^sign in, in a browser: /);
  expect(line).toBe(`sign in, in a browser: npx connect-rest login ${url}`);
  const call = await run.line(/^then call: /);
  expect(call).toMatch(/^then call: curl -H "authorization: Bearer \$\(npx connect-rest token http:\/\/127/);
  const open = await fetch(`${url}/`);
  expect(open.status).toBe(200);
});

test("a call without a token is rejected", async () => {
  const response = await fetch(`${url}/user.v1.UserService/GetUserInfo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect([response.status, response.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringContaining("Bearer"),
  ]);
});

test("people call with their own rights, and see their own blogs", async () => {
  for (const user of ["demo", "ada"]) {
    const { tokens } = await tokensOf(user);
    const response = await call(tokens.access_token, "user.v1.UserService/GetUserInfo");
    expect([response.status, await response.json()]).toEqual([
      200,
      { user: expect.objectContaining({ name: user }) },
    ]);
  }
});

test("a client refreshes its tokens, and a revoked token is rejected", async () => {
  const { client, tokens } = await tokensOf("demo");
  const next = await client.refresh(tokens.refresh_token ?? "");
  expect((await call(next.access_token, "user.v1.UserService/GetUserInfo")).status).toBe(200);
  await client.revoke(next.refresh_token ?? "");
  expect((await call(next.access_token, "user.v1.UserService/GetUserInfo")).status).toBe(401);
});

test("a person who declines at the sandbox gets a page that confirms it", async () => {
  const { consent, person } = await signIn("demo", "deny");
  expect([consent.status, consent.text]).toEqual([403, expect.stringContaining("You did not sign in")]);
  const { url: back } = await person.submit(consent, "leave", CLIENT_REDIRECT);
  expect(back.searchParams.get("error")).toBe("access_denied");
});
