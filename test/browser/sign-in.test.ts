/**
 * Tests consent and its failures in a real browser: by keyboard, for screen readers, and against other sites.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestClient } from "../support/person.ts";
import { expectToFit, startWorld, violationsOf, type World } from "./browser.ts";
import { hasChromium, NO_CHROMIUM } from "./chromium.ts";

let world: World;
let url: string;
let browser: Browser;
let site: Server;
/** Pages of another site, by path; also the client's redirect target. */
const pages = new Map<string, string>();
let siteUrl: string;

beforeAll(async () => {
  if (!hasChromium) return;
  world = await startWorld(["serve", "--auth"]);
  ({ browser, url } = world);
  site = createServer((request, response) => {
    const page = pages.get((request.url ?? "").split("?")[0] ?? "") ?? "<title>client</title><p>back";
    response.setHeader("content-type", "text/html; charset=utf-8").end(page);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  if (!hasChromium) return;
  await world.close();
  site.closeAllConnections();
  site.close();
});

/** Opens a client's consent page in a new browser profile. */
async function atConsent(
  name = "A test",
): Promise<{ page: Page; client: TestClient; redeem: (back: URL) => Promise<unknown> }> {
  const client = await TestClient.register(url, fetch, `${siteUrl}/callback`, name);
  const { address, redeem } = await client.begin();
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await page.getByLabel("Name").fill("demo");
  await page.getByLabel("Password").fill("demo-password");
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(/\/authorize\/i\//);
  return { page, client, redeem };
}

test("a person signs in and consents by keyboard alone, and returns to the client", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page, redeem } = await atConsent();
  expect(await page.title()).toBe("Allow access to your account?");
  const text = await page.locator("main").textContent();
  expect(text).toContain("An application that calls itself A test wants to act for you.");
  expect(text).toContain("Nobody has verified this application.");
  expect(text).toContain(new URL(siteUrl).host);
  await page.keyboard.press("Tab");
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  expect(await focused()).toBe("Allow");
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Do not allow");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/callback\?/);
  expect(await redeem(new URL(page.url()))).toMatchObject({ token_type: "bearer" });
});

test("a person who declines also returns to the client", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await atConsent();
  await page.getByRole("button", { name: "Do not allow" }).press("Enter");
  await page.waitForURL(/\/callback\?/);
  expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");
});

test("the pages are accessible with screen readers and keyboards", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await atConsent();
  expect(await violationsOf(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", forcedColors: "active" });
  expect(await violationsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 600 });
  await expectToFit(page);
});

test("the page after a declined sign-in says that the person declined, and has a link back to the client", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const client = await TestClient.register(url, fetch, `${siteUrl}/callback`);
  const { address } = await client.begin();
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL(/\/authorize\/i\//);
  expect(await page.locator("h1").textContent()).toBe("You did not sign in at the blog of the sandbox");
  expect(await violationsOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Try again" }).press("Enter");
  await page.getByLabel("Name").waitFor();
  await page.getByRole("button", { name: "Deny" }).click();
  await page.waitForURL(/\/authorize\/i\//);
  await page.getByRole("button", { name: "Go back to the application" }).press("Enter");
  await page.waitForURL(/\/callback\?/);
  expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");
});

test("any client name is shown as short, visible text", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const name = `<img src=x onerror=alert(1)>\u202Eevil\u2066<b>${"x".repeat(300)}`;
  const { page } = await atConsent(name);
  const shown = (await page.locator("strong.name").first().textContent()) ?? "";
  expect(shown.length).toBeLessThanOrEqual(61);
  expect(shown).toMatch(/^<img src=x onerror=alert\(1\)>evil<b>x+…$/);
  expect(await page.locator("img, script, b").count()).toBe(0);
});

test("no page of another site can frame the consent page", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await atConsent();
  const consent = page.url();
  pages.set("/framing", `<title>framing</title><iframe src="${consent}"></iframe>`);
  const rejected = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await page.goto(`${siteUrl}/framing`);
  expect((await rejected).type()).toBe("error");
  expect(await page.frames()[1]?.locator("form").count()).toBe(0);
});

test("no page of another site can consent for a person", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await atConsent();
  const action = `${page.url()}/decision`;
  const proof = await page.locator("input[name=proof]").inputValue();
  const form = `<form method="post" action="${action}"><input name="proof" value="${proof}"><input name="decision" value="allow"></form>`;
  pages.set("/forged", `<title>forged</title>${form}<script>document.forms[0].submit()</script>`);
  const answered = page.waitForResponse(action);
  await page.goto(`${siteUrl}/forged`).catch(() => undefined);
  expect((await answered).status()).toBe(403);
});

test("the pages run no script and load nothing", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const { page } = await atConsent();
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  await page.reload();
  await page.waitForURL(/\/authorize\/i\//);
  expect(new Set(loaded.map((each) => new URL(each).pathname))).toEqual(
    new Set([new URL(page.url()).pathname]),
  );
  expect(messages).toEqual([]);
  const maxWidth = "getComputedStyle(document.querySelector('main')).maxWidth";
  expect(await page.evaluate<string>(maxWidth)).not.toBe("none");
});
