/** Builds the site of the documentation, and reads it in a browser. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import type http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemsOf, readSite } from "../../site/check.ts";
import { PAGES } from "../../site/navigation.ts";
import { pathInSite } from "../../site/pages.ts";
import { FLAGS, hasChromium, NO_CHROMIUM } from "./chromium.ts";
import { serveFolder } from "./folder-server.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const BUILT = path.join(ROOT, "site/.vitepress/dist");

/** Words that a reader may look for, and a page that must be among the results. */
const SEARCHES = [
  ["paginate", "docs/annotations"],
  ["connect_rest_differences_total", "overview"],
  ["DEADLINE", "docs/errors"],
  ["createRestTransport", "runtime/"],
  ["rateLimits.share", "docs/configuration"],
  ["resumeToken", "docs/feeds"],
  ["registration", "docs/authorization"],
] as const;

let server: http.Server;
let url: string;
let browser: Browser;

beforeAll(async () => {
  const { status, stderr } = spawnSync("npm", ["run", "site"], { cwd: ROOT, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  server = serveFolder(BUILT);
  await once(server.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (!hasChromium) return;
  const executablePath = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
  browser = await chromium.launch({ executablePath, args: [...FLAGS] });
}, 300_000);
afterAll(async () => {
  if (hasChromium) await browser.close();
  server.close();
});

async function open(address: string, options: { width?: number; isDark?: boolean } = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: 900 },
    colorScheme: options.isDark ? "dark" : "light",
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  await page.goto(`${url}/${address}`, { waitUntil: "networkidle" });
  await page.locator("h1").first().waitFor();
  return page;
}

test("all pages are built, without dead links and foreign resources", () => {
  const site = readSite(BUILT);
  const files = [...PAGES].map((file) => pathInSite(file).replace(/\.md$/, ".html"));
  expect(files.filter((file) => !site.has(file))).toEqual([]);
  expect(problemsOf(site)).toEqual([]);
});

test("code in proto, YAML and TypeScript is highlighted", () => {
  const site = readSite(BUILT);
  for (const [file, language] of [
    ["docs/annotations.html", "proto"],
    ["docs/openapi.html", "yaml"],
    ["overview.html", "ts"],
  ] as const) {
    const [, block = ""] = site.get(file)?.split(`<div class="language-${language} `) ?? [];
    const colors = new Set(
      [...(block.split("</pre>")[0]?.matchAll(/--shiki-light:(#\w+)/g) ?? [])].map(([color]) => color),
    );
    expect(colors.size, file).toBeGreaterThan(2);
  }
});

describe.each(SEARCHES)("a search for %s", (words, page) => {
  test(`finds ${page}`, async ({ skip }) => {
    skip(!hasChromium, NO_CHROMIUM);
    const opened = await open("");
    await opened.keyboard.press("Control+k");
    await opened.locator(".search-input").fill(words);
    await opened.locator(`a.result[href*="${page}"]`).first().waitFor();
    await opened.context().close();
  });
});

test.for([390, 1440])("pages fit into %i px, in light and dark colors", async (width, { skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  for (const isDark of [false, true]) {
    for (const address of [
      "",
      "overview.html",
      "docs/configuration.html",
      "docs/performance.html",
      "gateway/",
    ]) {
      const page = await open(address, { width, isDark });
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect(wide, address).toBeLessThanOrEqual(0);
      const back = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(back === "rgb(255, 255, 255)", address).toBe(!isDark);
      await page.context().close();
    }
  }
});

test("a reader follows the paths on the first page without requests to another origin", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("");
  const origins = new Set<string>();
  const complaints: string[] = [];
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => complaints.push(message.text()));
  const titles = await page.locator(".VPFeature h2").allTextContents();
  expect(titles).toHaveLength(6);
  for (const title of titles) {
    await page.goto(`${url}/`);
    await page.locator(".VPFeature", { has: page.getByText(title, { exact: true }) }).click();
    await page.locator(".VPSidebarItem .is-active, .VPSidebarItem.is-active").first().waitFor();
  }
  expect([...origins]).toEqual([url]);
  expect(complaints).toEqual([]);
});
