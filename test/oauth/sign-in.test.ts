import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { reasonOf } from "connect-rest-runtime";
import { Session, type SignInOptions, signIn, signInAsClient, TokenFile } from "connect-rest-runtime/oauth";
import { afterAll, afterEach, expect, test } from "vitest";
import { systemClock } from "../../codec/src/time/clock.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { type Visit, visit } from "./browser.ts";
import { type ForeignServer, MACHINE, startForeignServer } from "./foreign-server.ts";
import { startPlainServer } from "./plain-server.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-oauth-"));
const SERVERS: ForeignServer[] = [];
let files = 0;

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server.close();
});
afterAll(() => rmSync(directory, { recursive: true }));

const newFile = (clock?: FakeClock) =>
  new TokenFile(path.join(directory, `tokens-${files++}`, "tokens.json"), clock);

async function opened(server: Promise<ForeignServer>): Promise<ForeignServer> {
  SERVERS.push(await server);
  return await server;
}

/**
 * Returns options with a browser that redirects back immediately, and the pages that this browser receives.
 */
function inBrowser(options: Partial<SignInOptions> = {}) {
  const visits: Array<Promise<Visit>> = [];
  const open = (url: URL) => {
    visits.push(visit(url));
  };
  return { options: { open, ...options }, page: () => visits[0] };
}

const account = async (server: ForeignServer, session: Session) => {
  const authorization = `Bearer ${(await session.get()).reveal()}`;
  const response = await fetch(`${server.url}/api`, { headers: { authorization } });
  return [response.status, response.status === 200 ? await response.json() : undefined];
};

test("a person signs in at a third-party server, and only that person can read the stored tokens", async () => {
  const server = await opened(startForeignServer());
  const file = newFile();
  const browser = inBrowser({ scope: "read offline_access" });
  const status = await signIn(`${server.url}/api/v1`, file, browser.options);
  expect(status).toMatchObject({
    server: server.url,
    issuer: server.url,
    grant: "authorization_code",
    scope: "read offline_access",
    isRefreshable: true,
  });
  expect((await browser.page())?.text).toContain("You are signed in");
  expect(server.seen).toEqual([
    "GET /api/v1",
    "GET /.well-known/oauth-authorization-server",
    "POST /oauth/reg",
    "GET /oauth/start",
    expect.stringContaining("GET /interaction/"),
    expect.stringContaining("GET /oauth/start/"),
    "POST /oauth/token",
  ]);
  expect(server.protocolVersions).toEqual(["2025-03-26"]);
  const session = new Session(server.url, file);
  expect(await account(server, session)).toEqual([200, expect.objectContaining({ account: "ada" })]);
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
});

test("tokens are refreshed with rotated refresh tokens, and deleted when the person signs out", async () => {
  const server = await opened(startForeignServer());
  const file = newFile();
  await signIn(server.url, file, inBrowser({ scope: "read offline_access" }).options);
  const session = new Session(server.url, file);
  const first = await session.get();
  const before = readFileSync(file.path, "utf8");
  const others = await Promise.all(Array.from({ length: 10 }, () => session.another(first)));
  expect(new Set(others.map((token) => token?.reveal())).size).toBe(1);
  expect(server.seen.filter((line) => line === "POST /oauth/token")).toHaveLength(2);
  const after = JSON.parse(readFileSync(file.path, "utf8")).entries[server.url].tokens;
  expect(before).not.toContain(after.refresh_token);
  expect((await account(server, session))[0]).toBe(200);
  const token = await session.get();
  expect(await session.end()).toBe(true);
  const headers = { authorization: `Bearer ${token.reveal()}` };
  expect((await fetch(`${server.url}/api`, { headers })).status).toBe(401);
  expect(readFileSync(file.path, "utf8")).not.toMatch(/token"/);
  expect(reasonOf(await failureOf(session.get()))).toBe("OAUTH_SIGN_IN_NEEDED");
  expect(await session.end()).toBe(false);
});

test("sessions that share a file refresh only once", async () => {
  const server = await opened(startForeignServer());
  const file = newFile();
  await signIn(server.url, file, inBrowser({ scope: "read offline_access" }).options);
  const clock = { ...systemClock, now: () => Date.now() + 3600_000 };
  const sessions = Array.from({ length: 5 }, () => new Session(server.url, file, { clock }));
  const tokens = await Promise.all(sessions.flatMap((session) => [session.get(), session.get()]));
  expect(new Set(tokens.map((token) => token.reveal())).size).toBe(1);
  expect(server.seen.filter((line) => line === "POST /oauth/token")).toHaveLength(2);
});

test("if a 401 names metadata, the metadata determines the tokens' audience and scopes", async () => {
  const place = "/.well-known/oauth-protected-resource/api";
  const server = await opened(startForeignServer({ resourceMetadata: place }));
  const status = await signIn(`${server.url}/api`, newFile(), inBrowser().options);
  expect(status).toMatchObject({ resource: `${server.url}/api`, scope: "read", isRefreshable: true });
  expect(server.seen.slice(0, 3)).toEqual([
    "GET /api",
    `GET ${place}`,
    "GET /.well-known/oauth-authorization-server",
  ]);
});

test("a client requests the metadata of a server, and uses the default paths if the server has no metadata", async () => {
  const server = await opened(startPlainServer());
  const file = newFile();
  await signIn(`${server.url}/`, file, inBrowser().options);
  expect(server.seen).toEqual([
    "GET /",
    "GET /.well-known/oauth-authorization-server",
    "GET /.well-known/oauth-protected-resource",
    "POST /register",
    "GET /authorize",
    "POST /token",
  ]);
  expect(new Set(server.protocolVersions)).toEqual(new Set(["2025-03-26"]));
  const session = new Session(server.url, file);
  const other = await session.another(await session.get());
  expect((await fetch(server.url, { headers: { authorization: `Bearer ${other?.reveal()}` } })).status).toBe(
    200,
  );
  const error = await failureOf(session.end());
  expect([reasonOf(error), await file.entry(server.url)]).toEqual(["OAUTH_REVOCATION_FAILED", undefined]);
});

test("a program signs in with client credentials, and uses them again to get new tokens", async () => {
  const server = await opened(startForeignServer());
  const file = newFile();
  const client = { clientId: MACHINE.id, clientSecret: MACHINE.secret, scope: "read" };
  const status = await signInAsClient(server.url, file, client);
  expect(status).toMatchObject({ grant: "client_credentials", clientId: "machine", isRefreshable: true });
  const session = new Session(server.url, file);
  const other = await session.another(await session.get());
  const headers = { authorization: `Bearer ${other?.reveal()}` };
  const response = await fetch(`${server.url}/api`, { headers });
  expect(await response.json()).toEqual({ client: "machine", scope: "read" });
});

test("a self-registered client on this machine is public, and has no secret", async () => {
  const server = await opened(startForeignServer());
  const file = newFile();
  await signIn(server.url, file, inBrowser({ scope: "read" }).options);
  const details = (await file.entry(server.url))?.details;
  expect(details).toMatchObject({ clientMethod: "none", clientId: expect.any(String) });
  expect(details).not.toHaveProperty("clientSecret");
});

test("if a person declines, no token is stored, and the browser shows the result", async () => {
  const server = await opened(startForeignServer({ person: "denies" }));
  const file = newFile();
  const browser = inBrowser();
  const error = await failureOf(signIn(server.url, file, browser.options));
  expect(reasonOf(error)).toBe("OAUTH_AUTHORIZATION_REFUSED");
  expect(error.rawMessage).toBe(`${server.url}: sign-in was not completed: access_denied: Not today`);
  expect((await browser.page())?.text).toContain("access_denied: Not today");
  expect(await file.entry(server.url)).toBeUndefined();
});

test("waiting for a person ends at the configured timeout, or when the program aborts", async () => {
  const server = await opened(startForeignServer());
  const clock = new FakeClock(Date.now());
  const waiting = Promise.withResolvers<void>();
  const late = signIn(server.url, newFile(), { open: () => waiting.resolve(), clock, timeoutMs: 60_000 });
  const failure = failureOf(late);
  await waiting.promise;
  await clock.whenRunning(1);
  clock.advance(60_000);
  expect((await failure).rawMessage).toBe(`${server.url}: nobody signed in within 60 s`);
  const leaving = new AbortController();
  const options = { open: () => leaving.abort(new Error("left")), signal: leaving.signal };
  await expect(signIn(server.url, newFile(), options)).rejects.toThrow("left");
});

test("if a registration is rejected, the error has a remedy", async () => {
  const server = await opened(startForeignServer());
  const error = await failureOf(signIn(server.url, newFile(), inBrowser({ scope: "no such" }).options));
  expect(reasonOf(error)).toBe("OAUTH_REGISTRATION_FAILED");
  expect(error.rawMessage).toMatch(/no client ID: invalid_client_metadata/);
});
