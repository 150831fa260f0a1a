/** Tests sign-in at the sandbox by OAuth 1.0a, with the sandbox's own pages and signatures. */

import { Secret } from "connect-rest-runtime";
import { type Sandbox, startSandbox } from "connect-rest-sandbox";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  browse,
  decide,
  type SignInWorld,
  startSignIn,
} from "../../authorization/src/testing/sign-in-world.ts";

let sandbox: Sandbox;
let world: SignInWorld;

beforeAll(async () => {
  sandbox = await startSandbox();
  const { url, credentials: known } = sandbox;
  world = await startSignIn({
    providers: [
      {
        name: "blog",
        title: "The Blog",
        required: true,
        server: {
          kind: "oauth1",
          settings: {
            requestTokenEndpoint: `${url}/oauth/request_token`,
            authorizationEndpoint: `${url}/oauth/authorize`,
            accessTokenEndpoint: `${url}/oauth/access_token`,
            accessTokenMethod: "GET",
            consumerKey: new Secret(known.consumerKey),
            consumerSecret: new Secret(known.consumerSecret),
            parameters: { source: "gateway" },
          },
        },
        identity: { probe: { url: `${url}/v2/user/info` }, field: "response.user.name" },
      },
    ],
  });
});
afterAll(async () => {
  await world.stop();
  await sandbox.close();
});
beforeEach(() => {
  sandbox.rules.authorizeAs = undefined;
});

test("a person signs in by OAuth 1.0a, and requests are signed with the person's token", async () => {
  sandbox.rules.authorizeAs = "ada";
  const flow = world.start();
  const page = await browse(world.url + flow.flow.path);
  expect(page.text).toContain("Your account at The Blog");
  await decide(page, "allow");
  expect(await flow.ended).toMatchObject({ subject: "blog:ada" });
});

test("a callback without parameters, as the sandbox sends it when a person declines, counts as a rejection", async () => {
  const flow = world.start();
  const departure = await fetch(world.url + flow.flow.path, { redirect: "manual" });
  const address = new URL(departure.headers.get("location") ?? "");
  const oauthToken = address.searchParams.get("oauth_token") ?? "";
  const body = new URLSearchParams({ oauth_token: oauthToken, decision: "deny" });
  const page = await browse(`${address.origin}${address.pathname}`, { method: "POST", body });
  expect([page.status, page.text]).toEqual([403, expect.stringContaining("You did not sign in at The Blog")]);
});
