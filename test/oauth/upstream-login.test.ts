import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createClient } from "@connectrpc/connect";
import { createRest, reasonOf } from "connect-rest-runtime";
import { CREDENTIALS, type Sandbox, startSandbox } from "connect-rest-sandbox";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { prepare } from "../../gateway/src/config/inspect.ts";
import { type Run, runCli } from "../../gateway/src/testing/child.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { closedPort } from "../../runtime/src/testing/servers.ts";
import { visit } from "./browser.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-upstream-"));
const adapter = path.resolve(import.meta.dirname, "../../gen/user/v1/user_rest.ts");
const ENV = { KEY: CREDENTIALS.consumerKey, SECRET: CREDENTIALS.consumerSecret };
const RUNS: Run[] = [];
let sandbox: Sandbox;
let port = "";
let count = 0;

beforeEach(async () => {
  const database = path.join(directory, `sandbox-${++count}.sqlite`);
  sandbox = await startSandbox({ database, authorizeAs: "demo" });
  port = new URL(await closedPort()).port;
  const db = new DatabaseSync(database);
  const callbacks = JSON.stringify([`http://127.0.0.1:${port}/callback`]);
  db.prepare("UPDATE consumers SET redirect_uris = ? WHERE key = ?").run(callbacks, ENV.KEY);
  db.close();
});
afterEach(async () => {
  for (const run of RUNS.splice(0)) run.process.kill("SIGKILL");
  await sandbox.close();
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes a configuration with these credentials. Returns its path. */
function configured(credentials: string): string {
  const file = path.join(directory, `connect-rest-${count}.yaml`);
  const blog = `{ baseUrl: '${sandbox.url}', rateLimits: false, credentials: { ${credentials} } }`;
  writeFileSync(file, `adapters: [${adapter}]\nupstreams:\n  blog: ${blog}\n`);
  return file;
}

function start(...args: readonly string[]): Run {
  const run = runCli(["upstream-login", ...args, "--no-browser"], directory, ENV);
  RUNS.push(run);
  return run;
}

/** Signs in as a user of the sandbox. */
async function login(
  ...args: readonly string[]
): Promise<{ status: unknown; stdout: string; stderr: string; page: string }> {
  const run = start(...args);
  const { text } = await visit(await run.line(/^http/));
  return { status: await run.exit, page: text, ...run.output() };
}

/** Returns the name of the upstream user that a gateway with this configuration acts as. */
async function whoAmI(file: string) {
  const { adapters, upstreams } = await prepare(file, ENV);
  const rest = createRest({ adapters, upstreams });
  const client = createClient(UserService, rest.transport);
  return { get: async () => (await client.getUserInfo({})).user?.name, rest };
}

const oauth2 = (rest = "") =>
  `oauth2: { tokenUrl: '${sandbox.url}/v2/oauth2/token', authorizeUrl: '${sandbox.url}/oauth2/authorize', clientId: { env: KEY }, clientSecret: { env: SECRET }, clientAuthentication: body, scope: basic write offline_access, tokenFile: blog-${count}.json${rest} }`;

const oauth1 = (rest = `token: { file: token-${count} }, tokenSecret: { file: token-secret-${count} }`) =>
  `oauth1: { requestTokenUrl: '${sandbox.url}/oauth/request_token', authorizeUrl: '${sandbox.url}/oauth/authorize', accessTokenUrl: '${sandbox.url}/oauth/access_token', consumerKey: { env: KEY }, consumerSecret: { env: SECRET }, ${rest} }`;

test("OAuth 2: a person allows access, and the gateway calls as that person, even after a token expires", async () => {
  const file = configured(oauth2());
  const kept = path.join(directory, `blog-${count}.json`);
  const found = await login("blog", "--config", file, "--port", port);
  expect(found).toMatchObject({ status: 0, stderr: "", page: expect.stringContaining("You are signed in") });
  expect(found.stdout).toContain(`wrote the token of blog to ${kept}\n`);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  const first = JSON.parse(readFileSync(kept, "utf8")).entries.blog.tokens;
  const { get, rest } = await whoAmI(file);
  expect(await get()).toBe("demo");
  sandbox.clock.advance(2_521_000);
  expect(await Promise.all([get(), get(), get()])).toEqual(["demo", "demo", "demo"]);
  const second = JSON.parse(readFileSync(kept, "utf8")).entries.blog.tokens;
  expect(second.refresh_token).not.toBe(first.refresh_token);
  await rest.close();
  // Another process continues with the stored tokens.
  const later = await whoAmI(file);
  expect(await later.get()).toBe("demo");
  expect(JSON.parse(readFileSync(kept, "utf8")).entries.blog.tokens).toEqual(second);
  await later.rest.close();
});

test("OAuth 2: after a person revokes access, calls fail with a remedy", async () => {
  const file = configured(oauth2());
  await login("blog", "--config", file, "--port", port);
  const { get, rest } = await whoAmI(file);
  sandbox.clock.advance(31 * 86_400_000);
  // The upstream rejects the token, and its token endpoint rejects the refresh token, so the person must sign
  // in again.
  const error = await failureOf(get());
  expect(reasonOf(error)).toBe("UPSTREAM_TOKEN_REFUSED");
  await rest.close();
});

test("OAuth 1.0a: a person allows access, and the gateway signs requests with that person's token", async () => {
  const file = configured(oauth1());
  const found = await login("blog", "--config", file);
  const files = [`token-${count}`, `token-secret-${count}`].map((name) => path.join(directory, name));
  expect(found).toMatchObject({ status: 0, stderr: "", page: expect.stringContaining("You are signed in") });
  expect(found.stdout).toContain(`wrote the token of blog to ${files.join(" and ")}\n`);
  for (const each of files) {
    expect(statSync(each).mode & 0o777).toBe(0o600);
    expect(found.stdout).not.toContain(readFileSync(each, "utf8").trim());
  }
  const { get, rest } = await whoAmI(file);
  expect(await get()).toBe("demo");
  await rest.close();
});

test("OAuth 1.0a: an unknown client gets an error with a remedy", async () => {
  const file = configured(oauth1());
  const run = runCli(["upstream-login", "blog", "--config", file, "--no-browser"], directory, {
    ...ENV,
    SECRET: "wrong-secret",
  });
  RUNS.push(run);
  expect(await run.exit).toBe(1);
  expect(run.output().stderr).toMatch(/the token endpoint rejected the request: status 401: /);
  expect(run.output().stderr).not.toContain("wrong-secret");
});

test.each([
  ["an unknown upstream", "ecco", oauth1, /upstreams: no upstream has the name ecco\./],
  [
    "no credentials",
    "blog",
    () => "apiKey: { env: KEY }",
    /oauth1\.requestTokenUrl: upstream-login needs it, e\.g\. requestTokenUrl: https:/,
  ],
  [
    "a token in a variable",
    "blog",
    () => oauth1("token: { env: KEY }, tokenSecret: { file: x }"),
    /oauth1\.token: upstream-login writes it: name a file/,
  ],
  [
    "no file for the token",
    "blog",
    () => oauth1("tokenSecret: { file: x }"),
    /oauth1\.token: upstream-login needs it, e\.g\. token: \{ file: secrets\/blog-token \}/,
  ],
  [
    "no token file",
    "blog",
    () => oauth2().replace(/tokenFile: \S+/, ""),
    /oauth2\.tokenFile: upstream-login needs it, e\.g\. tokenFile: secrets\/blog-tokens\.json/,
  ],
  [
    "an unset secret",
    "blog",
    () => oauth2().replace("SECRET", "UNSET"),
    /oauth2\.clientSecret: the environment variable UNSET is not set/,
  ],
])("an invalid configuration exits with 2: %s", async (_, name, credentials, text) => {
  const run = start(name, "--config", configured(credentials()));
  expect(await run.exit).toBe(2);
  expect(run.output().stderr).toMatch(text);
});
