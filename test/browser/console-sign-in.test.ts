/** Tests in a real browser that the console names nothing before a person signs in, and keeps no token. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page, Request } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectToFit, ROOT, startWorld, violationsOf, type World } from "./browser.ts";
import { hasChromium, NO_CHROMIUM } from "./chromium.ts";

const METHOD = "blog.v1.BlogService/GetBlogInfo";

/** Names of services, methods, upstreams and messages of the gateway. */
const NAMES = /blog\.v1|BlogService|GetBlogInfo|community|events\.v1|blogIdentifier/i;

let world: World;
let folder: string;
/** Messages of the browser's console, uncaught errors, and responses before a sign-in that name something. */
const complaints: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  folder = mkdtempSync(join(tmpdir(), "console-"));
  const config = readFileSync(join(ROOT, "connect-rest.yaml"), "utf8");
  const file = join(folder, "connect-rest.yaml");
  writeFileSync(
    file,
    config.replaceAll(/\.(?=\/(?:gen|sandbox)\/)/g, ROOT).replace("server:\n", "server:\n  explain: true\n"),
  );
  world = await startWorld(["serve", "--auth", "--config", file]);
}, 60_000);
afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  if (!hasChromium) return;
  await world.close();
  rmSync(folder, { recursive: true });
});

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** All requests to the gateway. */
  readonly requests: readonly Request[];
}

/** Opens the console in a new browser profile. */
async function visit(fragment = "", width = 1280): Promise<Visit> {
  const context = await world.browser.newContext({ viewport: { width, height: 900 } });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const requests: Request[] = [];
  page.on("request", (request) => requests.push(request));
  page.on("console", (message) => {
    // the browser reports each response with an error status, which the page expects
    if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${world.url}/${fragment}`);
  await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
  return { page, context, requests };
}

/** Signs in at the sandbox, and consents if the gateway asks. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await atUpstream(page);
}

async function atUpstream(page: Page): Promise<void> {
  const allow = page.getByRole("button", { name: "Allow" });
  await allow.waitFor();
  // the upstream remembers people
  if ((await page.getByLabel("Name").count()) > 0) {
    await page.getByLabel("Name").fill("demo");
    await page.getByLabel("Password").fill("demo-password");
  }
  await allow.click();
  await page.waitForURL(({ origin }) => origin === world.url);
  // the gateway remembers consents
  if (!page.url().includes("/authorize/")) return;
  const text = await page.locator("main").textContent();
  expect(text).toContain("The console of this gateway wants to act for you.");
  expect(text).not.toContain("Nobody has verified");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
}

/** Returns everything that the browser keeps for the gateway. */
async function stored({ page, context }: Visit): Promise<string> {
  const inPage = await page.evaluate<string>(`(async () => {
    const caches = await globalThis.caches.keys();
    const databases = await indexedDB.databases();
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, caches, databases, document.cookie, history.state]);
  })()`);
  return inPage + JSON.stringify(await context.storageState({ indexedDB: true }));
}

/** Returns the access tokens that the page has sent, and all tokens that it received. */
async function tokensOf(requests: readonly Request[]): Promise<string[]> {
  const answers = requests.filter((request) => new URL(request.url()).pathname === "/token");
  const bodies = await Promise.all(answers.map(async (request) => (await request.response())?.json()));
  return bodies.flatMap((body) => [body.access_token, body.refresh_token]);
}

test("before a person signs in, neither the page nor any response names anything that is served", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page, requests } = await visit();
  await page.waitForLoadState("networkidle");
  for (const request of requests) {
    const response = await request.response();
    const { pathname } = new URL(request.url());
    // the metadata of the authorization server is public (RFC 8414), and has the scopes
    if (pathname.startsWith("/.well-known/")) continue;
    expect(await response?.text(), pathname).not.toMatch(NAMES);
  }
  expect(await page.content()).not.toMatch(NAMES);
  expect(new Set(requests.map((request) => new URL(request.url()).origin))).toEqual(new Set([world.url]));
});

test("a person signs in, calls, and signs out, and no token is ever in storage or in an address", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const visited = await visit(`#/${METHOD}`);
  const { page, requests } = visited;
  await signIn(page);
  await page.getByRole("heading", { name: "GetBlogInfo" }).waitFor();
  expect(page.url()).toBe(`${world.url}/#/${METHOD}`);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".state.ok").waitFor();
  const tokens = await tokensOf(requests);
  expect(tokens).toEqual([expect.any(String), expect.any(String)]);
  const kept = await stored(visited);
  for (const token of tokens) expect(kept).not.toContain(token);
  expect(kept).not.toMatch(NAMES);
  expect(await page.evaluate("sessionStorage.length + localStorage.length")).toBe(0);
  for (const request of requests) {
    const { origin, search } = new URL(request.url());
    expect(origin === world.url && tokens.some((token) => search.includes(token))).toBe(false);
  }
  await page.getByText("Signed in", { exact: true }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
  expect(await page.content()).not.toMatch(NAMES);
  for (const token of tokens) {
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${world.url}/console/about.json`, { headers })).status).toBe(401);
  }
});

test("an explanation needs a further scope, for which the person signs in again without losing the request", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await visit(`#/${METHOD}`);
  await signIn(page);
  await page.getByLabel("blogIdentifier", { exact: true }).fill("grace");
  await page.getByText("HTTP request to the upstream").click();
  await page.getByText("The call needs the scope explain").waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Sign in with this scope too" }).click();
  await atUpstream(page);
  await page.getByRole("heading", { name: "GetBlogInfo" }).waitFor();
  expect(await page.getByLabel("blogIdentifier", { exact: true }).inputValue()).toBe("grace");
  await page.getByText("HTTP request to the upstream").click();
  await page.getByText("> GET http").waitFor();
  await page.getByText("Signed in", { exact: true }).click();
  expect(await page.locator(".account li").allTextContents()).toContain("explain");
  expect(await violationsOf(page)).toEqual([]);
});

test("an expired token is refreshed once for all requests, and after a revocation the person signs in again", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page, requests } = await visit(`#/${METHOD}`);
  await signIn(page);
  await page.getByRole("heading", { name: "GetBlogInfo" }).waitFor();
  const [first, refresh] = await tokensOf(requests);
  const revoke = (token = "") =>
    fetch(`${world.url}/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token, client_id: "connect-rest-console" }),
    });
  await page.route("**/token", async (route) => {
    const response = await route.fetch();
    // the next token is nearly over
    await route.fulfill({ response, json: { ...(await response.json()), expires_in: 1 } });
  });
  // the gateway rejects the first token, as after its end
  await page.route(`**/${METHOD}`, async (route) => {
    const isFirst = route.request().headers().authorization === `Bearer ${first}`;
    const challenge = { "www-authenticate": 'Bearer error="invalid_token"' };
    return isFirst ? route.fulfill({ status: 401, headers: challenge, json: {} }) : route.continue();
  });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".state.ok").waitFor();
  const before = (await tokensOf(requests)).length;
  await page.getByRole("link", { name: "State" }).click();
  await page.getByRole("heading", { name: "Limits" }).waitFor();
  const tokens = await tokensOf(requests);
  expect(tokens.length).toBeGreaterThanOrEqual(before + 2);
  await revoke(tokens.at(-1));
  await page.getByText("Your session has ended. Sign in again.").waitFor();
  expect(await page.content()).not.toMatch(NAMES);
  expect(refresh).toBeDefined();
});

test.each([
  ["of another state", { state: "another" }],
  ["of another issuer", { iss: "https://evil.example" }],
  ["without an issuer", { iss: "" }],
])("a response %s is not accepted", async (_, changes) => {
  if (!hasChromium) return;
  const { page, requests } = await visit();
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Name").waitFor();
  const begun = requests.find((request) => new URL(request.url()).pathname === "/authorize");
  const state = new URL(begun?.url() ?? "").searchParams.get("state") ?? "";
  const query = new URLSearchParams({ code: "code", state, iss: world.url, ...changes });
  await page.goto(`${world.url}/?${query}`);
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").textContent()).toMatch(/another (?:tab|server)/);
  expect(page.url()).toBe(`${world.url}/`);
  expect(await tokensOf(requests)).toEqual([]);
  expect(await page.evaluate("sessionStorage.length")).toBe(0);
});

test("a link with a code of somebody else signs nobody in", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page, requests } = await visit("?code=stolen&state=guess");
  await page.getByText("This sign-in was begun in another tab, or is over already.").waitFor();
  expect(await tokensOf(requests)).toEqual([]);
});

test("after a person has declined, the page says so, and the person can try again", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await visit();
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByLabel("Name").fill("grace");
  await page.getByLabel("Password").fill("grace-password");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("button", { name: "Do not allow" }).click();
  await page.getByText("You did not allow access.").waitFor();
  expect(await page.getByRole("button", { name: "Sign in", exact: true }).isEnabled()).toBe(true);
});

test("by another name of the gateway, the page leads to the address that callers use", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await visit();
  await page.goto(`${world.url.replace("127.0.0.1", "localhost")}/#/${METHOD}`);
  const link = page.getByRole("link", { name: world.url });
  await link.waitFor();
  expect(await link.getAttribute("href")).toBe(`${world.url}/#/${METHOD}`);
  expect(await page.getByRole("button", { name: "Sign in", exact: true }).count()).toBe(0);
});

test.each(["light", "dark"] as const)("the page has no accessibility violations in %s mode", async (mode) => {
  if (!hasChromium) return;
  for (const width of [1280, 390]) {
    const { page } = await visit("?error=access_denied", width);
    await page.emulateMedia({ colorScheme: mode });
    await page.getByRole("alert").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await expectToFit(page);
    await signIn(page);
    await page.getByText("Signed in", { exact: true }).click();
    expect(await violationsOf(page)).toEqual([]);
    await expectToFit(page);
  }
});
