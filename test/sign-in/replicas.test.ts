/** Tests two gateways with one PostgreSQL: people sign in at one gateway and call through the other. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  POSTGRES_PROGRAMS,
  startPostgres,
  type TestPostgres,
} from "../../authorization/src/testing/postgres.ts";
import {
  type OAuth2TestProvider,
  startOAuth2Provider,
} from "../../authorization/src/testing/provider-server.ts";
import { PUBLIC_URL } from "../support/authorized-gateway.ts";
import { Person, TestClient } from "../support/person.ts";
import { callEcho, everywhere, type GatewayProcess, Gateways } from "./gateways.ts";

const NO_POSTGRES = "PostgreSQL is not installed";

let postgres: TestPostgres;
let provider: OAuth2TestProvider;
let gateways: Gateways;
let here: GatewayProcess;
let there: GatewayProcess;

beforeAll(async () => {
  if (POSTGRES_PROGRAMS === undefined) return;
  postgres = await startPostgres();
  provider = await startOAuth2Provider();
  const env = { STORE: postgres.url, SIGN_IN_KEY: randomBytes(32).toString("base64") };
  gateways = new Gateways(provider, "{ postgres: { env: STORE } }", env);
  [here, there] = await Promise.all([gateways.start(), gateways.start()]);
});
afterAll(async () => {
  if (POSTGRES_PROGRAMS === undefined) return;
  await gateways.stop();
  await provider.close();
  await postgres.remove();
});

/** Signs in at one gateway. */
async function signIn(at: GatewayProcess) {
  const client = await TestClient.register(PUBLIC_URL, at.fetch);
  const tokens = await client.signIn(new Person(everywhere(at)));
  return { client, tokens };
}

test("a person who signed in at one gateway can call through the other", async ({ skip }) => {
  skip(POSTGRES_PROGRAMS === undefined, NO_POSTGRES);
  const { tokens } = await signIn(here);
  expect(await callEcho(there, tokens.access_token)).toEqual({ status: 200, body: '{"text":"demo"}' });
});

test("a sign-in flow may change gateways at every step", async ({ skip }) => {
  skip(POSTGRES_PROGRAMS === undefined, NO_POSTGRES);
  let count = 0;
  const alternating: typeof fetch = (input, init) => {
    count += 1;
    return everywhere(count % 2 === 0 ? here : there)(input, init);
  };
  const client = await TestClient.register(PUBLIC_URL, alternating);
  const tokens = await client.signIn(new Person(alternating));
  expect((await callEcho(here, tokens.access_token)).status).toBe(200);
});

test("under load, two gateways refresh the third party's tokens only once, and lose no token", async ({
  skip,
}) => {
  skip(POSTGRES_PROGRAMS === undefined, NO_POSTGRES);
  const { tokens } = await signIn(here);
  for (let round = 1; round <= 3; round++) {
    const before = provider.counts.get("/token refresh") ?? 0;
    provider.expire();
    const calls = Array.from({ length: 40 }, (_, index) =>
      callEcho(index % 2 === 0 ? here : there, tokens.access_token),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses).toEqual(Array(40).fill(200));
    expect((provider.counts.get("/token refresh") ?? 0) - before).toBe(1);
  }
});

test("killing a gateway at any moment loses no token that it has issued", async ({ skip }) => {
  skip(POSTGRES_PROGRAMS === undefined, NO_POSTGRES);
  for (const killedAfter of [1, 3, 6]) {
    const victim = await gateways.start();
    const sessions = await Promise.all([signIn(victim), signIn(victim), signIn(victim)]);
    const issued: string[] = sessions.map(({ tokens }) => tokens.access_token);
    let answered = 0;
    // Each client refreshes repeatedly until its gateway is killed.
    const loops = sessions.map(async ({ client, tokens }) => {
      let newest = tokens.refresh_token ?? "";
      for (;;) {
        const next = await client.refresh(newest).catch(() => undefined);
        if (next === undefined) return;
        issued.push(next.access_token);
        newest = next.refresh_token ?? "";
        answered += 1;
        if (answered >= killedAfter) victim.run.process.kill("SIGKILL");
      }
    });
    await Promise.all(loops);
    expect(answered).toBeGreaterThanOrEqual(killedAfter);
    const statuses = await Promise.all(issued.map(async (token) => (await callEcho(there, token)).status));
    expect(statuses).toEqual(Array(issued.length).fill(200));
  }
});

test("a token that one gateway revokes is rejected by the other", async ({ skip }) => {
  skip(POSTGRES_PROGRAMS === undefined, NO_POSTGRES);
  const { client, tokens } = await signIn(here);
  const revoked = provider.revoked.length;
  await client.revoke(tokens.refresh_token ?? "");
  expect((await callEcho(there, tokens.access_token)).status).toBe(401);
  expect(provider.revoked.length - revoked).toBe(2);
});
