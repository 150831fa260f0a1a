import { spawnSync } from "node:child_process";
import { chromium } from "playwright-core";
import { FLAGS } from "../test/browser/chromium.ts";

const executablePath = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
const browser = await chromium.launch({ executablePath, args: [...FLAGS] });
const url = process.argv[2] ?? "http://127.0.0.1:18080";
for (const width of [1440, 390]) {
  const page = await browser.newPage({ viewport: { width, height: width === 390 ? 844 : 900 } });
  page.on("console", (m) => process.stdout.write(`${m.type()}: ${m.text()}\n`));
  page.on("pageerror", (e) => process.stdout.write(`error: ${e.stack}\n`));
  await page.goto(url);
  await page.waitForSelector("h1");
  await page.screenshot({ path: `/tmp/shots/home-${width}.png` });
  await page.goto(`${url}/#/blog.v1.BlogService/GetBlogInfo`);
  await page.getByText("HTTP request to the upstream").click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForSelector(".state.ok, .state.failed");
  await page.screenshot({ path: `/tmp/shots/method-${width}.png` });
  await page.goto(`${url}/#/blog.v1.PostService/CreatePost`);
  await page.waitForSelector("h1:has-text('CreatePost')");
  await page.screenshot({ path: `/tmp/shots/create-${width}.png` });
  await page.goto(`${url}/#/blog.v1.PostService/ListTaggedPosts`);
  await page.waitForSelector("h1:has-text('ListTagged')");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForSelector(".state.ok, .state.failed");
  await page.getByRole("button", { name: "Table" }).click();
  await page.locator("#response").scrollIntoViewIfNeeded();
  await page.screenshot({ path: `/tmp/shots/table-${width}.png` });
}
await browser.close();
