/** Tests that tokens, codes, verifiers, cookies and keys never leak into pages, logs or the store's files. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { POSTGRES_PROGRAMS, startPostgres } from "../../authorization/src/testing/postgres.ts";
import {
  type OAuth2TestProvider,
  send,
  startOAuth2Provider,
} from "../../authorization/src/testing/provider-server.ts";
import { PUBLIC_URL } from "../support/authorized-gateway.ts";
import { Person, TestClient } from "../support/person.ts";
import { callEcho, everywhere, type GatewayProcess, Gateways } from "./gateways.ts";

const KEY = randomBytes(32);

let provider: OAuth2TestProvider;
let secrets: Set<string>;
/** The values of flow cookies, which addresses of the flow's pages may contain. */
let cookies: Set<string>;
let texts: string[];

beforeEach(async () => {
  provider = await startOAuth2Provider();
  secrets = new Set();
  cookies = new Set();
  texts = [];
});
afterEach(() => provider.close());

/** Takes valid and invalid steps as people and clients, and collects all secrets and outputs. */
async function useAll(gateway: GatewayProcess): Promise<void> {
  const client = await TestClient.register(PUBLIC_URL, gateway.fetch);
  for (const fault of [undefined, "/me", "/token code"]) {
    if (fault !== undefined) provider.faults.set(fault, repeatSecrets);
    const person = new Person(everywhere(gateway));
    await client.signIn(person).catch(() => undefined);
    provider.faults.clear();
    texts.push(...person.seen.map(withoutOwn));
    for (const cookie of person.secrets) cookies.add(cookie);
  }
  const tokens = await client.signIn(new Person(everywhere(gateway)));
  texts.push((await callEcho(gateway, tokens.access_token)).body);
  provider.expire();
  texts.push((await callEcho(gateway, tokens.access_token)).body);
  const next = await client.refresh(tokens.refresh_token ?? "");
  provider.faults.set("/echo", repeatSecrets);
  texts.push((await callEcho(gateway, next.access_token)).body);
  provider.faults.clear();
  texts.push((await callEcho(gateway, [...provider.secrets][0] ?? "")).body);
  for (const secret of [...client.secrets, ...provider.secrets]) secrets.add(secret);
  for (const encoding of ["base64", "base64url", "hex"] as const) secrets.add(KEY.toString(encoding));
}

/** Responds like a third party that echoes requests in its errors. */
function repeatSecrets(
  { form, headers }: { form: URLSearchParams; headers: object },
  response: Parameters<typeof send>[0],
): boolean {
  send(response, 403, { error: "invalid_request", error_description: `${form} ${JSON.stringify(headers)}` });
  return true;
}

/**
 * Returns a page, or an empty string for other responses: a browser may receive its own secrets in addresses,
 * cookies and redirects.
 */
function withoutOwn(text: string): string {
  return text.startsWith("<!doctype") ? text : "";
}

/** Returns all files of a folder as one text. */
function filesOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.map((name) => path.join(folder, name)).filter((file) => statSync(file).isFile());
  return files.map((file) => readFileSync(file, "latin1")).join("\n");
}

/** Fails if a text contains a secret. */
function expectNone(where: string, text: string, values: Iterable<string> = [...secrets, ...cookies]): void {
  for (const secret of values) {
    const at = text.indexOf(secret);
    if (at >= 0) throw new Error(`${secret} is in ${where}: ${text.slice(Math.max(0, at - 200), at + 60)}`);
  }
}

function expectNowhere(gateway: GatewayProcess): void {
  expect([secrets.size > 20, cookies.size > 2]).toEqual([true, true]);
  const { stdout, stderr } = gateway.run.output();
  expect(stderr.length).toBeGreaterThan(1000);
  expectNone("standard output", stdout);
  expectNone("standard error", stderr);
  expect(texts.filter((text) => text !== "").length).toBeGreaterThan(5);
  for (const text of texts) expectNone("what people and clients see", text, secrets);
}

test("with SQLite, no secret is in the store's file, its journal or its write-ahead log", async () => {
  const gateways = new Gateways(provider, "{ file: state.sqlite }", { SIGN_IN_KEY: KEY.toString("base64") });
  try {
    const gateway = await gateways.start();
    await useAll(gateway);
    const files = readdirSync(gateways.directory);
    expect(files).toEqual(expect.arrayContaining(["state.sqlite", "state.sqlite-wal"]));
    for (const file of files.filter((each) => each.startsWith("state."))) {
      expect(statSync(path.join(gateways.directory, file)).mode & 0o777).toBe(0o600);
    }
    const before = filesOf(gateways.directory);
    expect(before).toContain("upstream-session");
    expectNone("the files of the store", before);
    gateway.run.process.kill("SIGTERM");
    await gateway.run.exit;
    expectNone("the files of the store, closed", filesOf(gateways.directory));
    expectNowhere(gateway);
  } finally {
    await gateways.stop();
  }
});

test("with PostgreSQL, no secret is in the tables or the write-ahead log", async ({ skip }) => {
  skip(POSTGRES_PROGRAMS === undefined, "PostgreSQL is not installed");
  const postgres = await startPostgres();
  const env = { STORE: postgres.url, SIGN_IN_KEY: KEY.toString("base64") };
  const gateways = new Gateways(provider, "{ postgres: { env: STORE } }", env);
  try {
    const gateway = await gateways.start();
    await useAll(gateway);
    await postgres.stop();
    const folder = new URL(postgres.url).searchParams.get("host") ?? "";
    const files = filesOf(folder);
    expect(files).toContain("upstream-session");
    expectNone("the files of the database", files);
    expectNowhere(gateway);
  } finally {
    await gateways.stop();
    await postgres.remove();
  }
});
