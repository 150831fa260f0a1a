import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { PostgresStore } from "../../authorization/src/store/postgres-store.ts";
import { SqliteStore } from "../../authorization/src/store/sqlite-store.ts";
import { POSTGRES_PROGRAMS, startPostgres } from "../../authorization/src/testing/postgres.ts";
import { type AuthorizedGateway, startAuthorized } from "../support/authorized-gateway.ts";
import { MACHINE, MACHINE_SECRET } from "../support/machine-client.ts";
import { OAuthSteps, VERIFIER } from "../support/oauth-steps.ts";

const folder = mkdtempSync(path.join(tmpdir(), "connect-rest-failing-"));
let file: string;
let store: SqliteStore;
let served: AuthorizedGateway;
let steps: OAuthSteps;
let files = 0;
let time = Date.now();

beforeEach(async () => {
  files += 1;
  file = path.join(folder, `${files}.sqlite`);
  store = new SqliteStore({ file, waitMs: 20 });
  // The clock moves only when a test advances it, so that nothing expires unexpectedly.
  served = await startAuthorized({ store, clients: [MACHINE] as never, now: () => time });
  steps = new OAuthSteps(served);
});
afterEach(() => served.close());
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const form = { grant_type: "client_credentials", client_id: "machine", client_secret: MACHINE_SECRET };

test("the store's file and its companion files are readable by the owner only", async () => {
  await steps.publicClient();
  const names = readdirSync(folder).filter((name) => name.startsWith(`${files}.`));
  expect(names.length).toBeGreaterThan(1);
  for (const name of names) expect(statSync(path.join(folder, name)).mode & 0o777, name).toBe(0o600);
});

test("while another process locks the store, clients must retry, and no code or token is lost", async () => {
  const id = await steps.publicClient();
  const code = await steps.code(id);
  const earlier = (await steps.redeem(id, await steps.code(id))).body;
  const locker = new DatabaseSync(file);
  locker.exec("BEGIN IMMEDIATE");
  const rejected = await Promise.all([
    steps.redeem(id, code),
    steps.refresh(id, earlier.refresh_token),
    steps.token(form),
    steps.register({ redirect_uris: ["https://app.example/"] }),
  ]);
  for (const answer of rejected) {
    expect(answer).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
    expect(answer.headers.get("retry-after")).toBe("1");
  }
  const page = await steps.authorize(id);
  expect(page instanceof Response && page.status).toBe(503);
  // Reads still succeed.
  expect((await steps.call(earlier.access_token)).status).toBe(200);
  locker.exec("ROLLBACK");
  locker.close();
  const redeemed = await steps.redeem(id, code);
  expect(redeemed.status).toBe(200);
  // Long after the period in which a refresh token can be reused.
  time += 60_000;
  const refreshed = await steps.refresh(id, earlier.refresh_token);
  expect(refreshed.status).toBe(200);
  for (const { body } of [redeemed, refreshed]) {
    expect((await steps.call(body.access_token)).status).toBe(200);
  }
});

test("calls get UNAVAILABLE while the store is unavailable, and succeed again afterwards", async () => {
  const { body } = await steps.token(form);
  renameSync(file, `${file}.away`);
  for (const suffix of ["-wal", "-shm"]) renameSync(file + suffix, `${file}.away${suffix}`);
  expect(await steps.token(form)).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
  const call = await steps.call(body.access_token);
  expect(call).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(call.text).toContain("STORE_UNAVAILABLE");
  expect(JSON.stringify(served.lines)).toContain("is gone");
  for (const suffix of ["-wal", "-shm"]) renameSync(`${file}.away${suffix}`, file + suffix);
  renameSync(`${file}.away`, file);
  time += 2000;
  expect((await steps.call(body.access_token)).status).toBe(200);
  expect((await steps.token(form)).status).toBe(200);
});

test("while the disk is full, clients must retry", async () => {
  const id = await steps.publicClient();
  const code = await steps.code(id);
  // The page limit belongs to the store's own connection, so the test needs access to that connection.
  const database = Reflect.get(store, "opened").database as DatabaseSync;
  const { page_count: pages } = { ...database.prepare("PRAGMA page_count").get() };
  database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
  // Free space inside the file is used first.
  while ((await steps.token(form)).status === 200);
  expect(await steps.token(form)).toMatchObject({ status: 503, body: { error: "temporarily_unavailable" } });
  expect(await steps.redeem(id, code)).toMatchObject({ status: 503 });
  database.exec("PRAGMA max_page_count = 1000000");
  expect((await steps.redeem(id, code)).status).toBe(200);
});

test("no file of the store contains tokens, codes, verifiers or secrets in plain text", async () => {
  const id = await steps.publicClient();
  const { body: confidential } = await steps.register({ redirect_uris: ["https://app.example/"] });
  const code = await steps.code(id);
  const { body } = await steps.redeem(id, code);
  const refreshed = await steps.refresh(id, body.refresh_token);
  const own = await steps.token(form);
  const open = await steps.code(id);
  const secrets = [
    code,
    open,
    VERIFIER,
    body.access_token,
    body.refresh_token,
    refreshed.body.access_token,
    refreshed.body.refresh_token,
    own.body.access_token,
    confidential.client_secret,
    MACHINE_SECRET,
  ].map(String);
  const names = readdirSync(folder).filter((name) => name.startsWith(`${files}.`));
  for (const name of names) {
    const bytes = readFileSync(path.join(folder, name));
    for (const secret of secrets) expect(bytes.includes(secret), `${name} ${secret}`).toBe(false);
  }
  expect(names.length).toBeGreaterThan(1);
  expect(JSON.stringify(served.lines)).not.toMatch(new RegExp(secrets.join("|")));
});

test.skipIf(POSTGRES_PROGRAMS === undefined)(
  "two gateways that share a PostgreSQL server both report an outage of the server, and recover on their own",
  async () => {
    const postgres = await startPostgres();
    const start = () =>
      startAuthorized({
        store: new PostgresStore({ url: postgres.url, timeoutMs: 2000 }),
        clients: [MACHINE] as never,
      });
    const gateways = await Promise.all([start(), start()]);
    const [a, b] = gateways.map((gateway) => new OAuthSteps(gateway));
    if (a === undefined || b === undefined) throw new Error("two were started");
    const id = await a.publicClient();
    const code = await a.code(id);
    const { body } = await b.redeem(id, code);
    expect((await a.call(body.access_token)).status).toBe(200);
    const answers = await Promise.all([a, b, a, b].map((each) => each.refresh(id, body.refresh_token)));
    const redeemed = answers.filter(({ status }) => status === 200);
    expect(redeemed).toHaveLength(2);
    const second = await a.code(id);
    await postgres.stop();
    expect(await a.redeem(id, second)).toMatchObject({
      status: 503,
      body: { error: "temporarily_unavailable" },
    });
    expect((await b.call(redeemed[0]?.body.access_token)).text).toContain("STORE_UNAVAILABLE");
    await postgres.start();
    expect((await b.redeem(id, second)).status).toBe(200);
    expect((await b.call(redeemed[1]?.body.access_token)).status).toBe(200);
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await postgres.remove();
  },
  60_000,
);
