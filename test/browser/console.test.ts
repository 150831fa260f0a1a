/** Tests the console in a real browser: forms, calls, streams, errors, the keyboard, and accessibility. */
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { expectToFit, startWorld, violationsOf, type World } from "./browser.ts";
import { hasChromium, NO_CHROMIUM } from "./chromium.ts";

let world: World;
let url: string;
/** Messages of the browser's console and uncaught errors. */
const complaints: string[] = [];
const loaded = new Set<string>();

beforeAll(async () => {
  if (!hasChromium) return;
  world = await startWorld(["serve", "--sandbox"]);
  url = world.url;
}, 60_000);
afterEach(() => {
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  if (hasChromium) await world.close();
});

/** Opens a method, or the overview. */
async function open(method = "", width = 1280): Promise<Page> {
  const context = await world.browser.newContext({ viewport: { width, height: 900 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.on("console", (message) => {
    // the browser reports each response with an error status, which tests provoke
    if (!message.text().startsWith("Failed to load resource")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => loaded.add(new URL(request.url()).origin));
  await page.goto(`${url}/#/${method}`);
  await page.locator("h1").waitFor();
  return page;
}

const response = (page: Page) => page.getByRole("region", { name: "Response" }).first();

async function send(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

test("a form and its JSON stay in step, and a call shows its response", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("blog.v1.BlogService/GetBlogInfo");
  const field = page.getByLabel("blogIdentifier", { exact: true });
  const json = page.getByLabel("JSON", { exact: true });
  expect(await field.inputValue()).toBe("demo");
  await json.fill('{"blog_identifier": "grace"}');
  expect(await field.inputValue()).toBe("grace");
  await field.fill("demo");
  expect(JSON.parse(await json.inputValue())).toEqual({ blog_identifier: "demo" });
  await page.getByRole("button", { name: "Add item" }).click();
  await page.getByLabel("fields[0]").fill("name");
  expect(JSON.parse(await json.inputValue())).toEqual({ blog_identifier: "demo", fields: ["name"] });
  await send(page);
  await response(page).getByText("OK", { exact: true }).waitFor();
  expect(await response(page).locator("pre").textContent()).toContain('"name": "demo"');
});

test("malformed JSON is reported, and the form shows the last valid message", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("blog.v1.BlogService/GetBlogInfo");
  await page.getByLabel("JSON", { exact: true }).fill('{"blogIdentifier": "demo",');
  await page.getByText("The form shows the last valid JSON.").waitFor();
  expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
  await page.getByLabel("JSON", { exact: true }).fill('{"blogIdentifier": 1}');
  const field = page.getByLabel("blogIdentifier", { exact: true });
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  await page.locator("p.problem", { hasText: "expected a text" }).waitFor();
});

test("an error shows its code, its reason, and the problems at their fields", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("blog.v1.BlogService/GetBlogInfo");
  const field = page.getByLabel("blogIdentifier", { exact: true });
  await field.fill("nobody");
  await send(page);
  const alert = page.getByRole("alert");
  await alert.getByText("not_found", { exact: true }).waitFor();
  expect(await alert.textContent()).toContain("BLOG_NOT_FOUND");
  await field.fill("www.a b");
  await send(page);
  await alert.getByText("invalid_argument", { exact: true }).waitFor();
  await page.locator("p.problem", { hasText: "a blog is named by" }).waitFor();
});

test("messages of a stream appear as they arrive, until the user cancels", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("events.v1.EventService/WatchPublicEvents");
  await send(page);
  await page.locator(".messages li").first().waitFor();
  expect(await page.locator(".state").textContent()).toBe("Running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("you canceled the call").waitFor();
});

/** An envelope of the Connect protocol. */
function envelope(flags: number, json: unknown): Buffer {
  const body = Buffer.from(typeof json === "string" ? json : JSON.stringify(json));
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
}

test("of 10,000 messages the page keeps the last 500, with exact numbers and texts of all scripts", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("events.v1.EventService/WatchPublicEvents");
  const messages = Array.from({ length: 10_000 }, (_, index) => {
    return envelope(
      0,
      `{"id":9223372036854770000${index},"text":"שלום 👩‍👩‍👧 \u202e","long":"${"x".repeat(300)}"}`,
    );
  });
  const body = Buffer.concat([...messages, envelope(2, {})]);
  const contentType = "application/connect+json";
  await page.route("**/WatchPublicEvents", (route) => route.fulfill({ contentType, body }));
  await send(page);
  await page.locator(".state.ok").waitFor();
  await page.getByText("10,000 messages; shows the last 500, dropped 9,500").waitFor();
  expect(await page.locator(".messages li").count()).toBe(500);
  const newest = await page.locator(".messages li").first().textContent();
  expect(newest).toContain("92233720368547700009999");
  expect(newest).toContain("שלום 👩‍👩‍👧");
  await page.getByRole("button", { name: "Table" }).click();
  expect(await page.locator("tbody tr").count()).toBe(500);
  await expectToFit(page);
});

test("an error with 20 details and a list with 1,000 rows are shown whole, at 390 px", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("blog.v1.PostService/ListTaggedPosts", 390);
  const info = Buffer.from(`\n\u0005LIMIT`).toString("base64");
  const details = Array.from({ length: 20 }, () => ({ type: "google.rpc.ErrorInfo", value: info }));
  const error = { code: "resource_exhausted", message: "a".repeat(2000), details };
  const posts = Array.from({ length: 1000 }, (_, index) => ({
    id: String(index),
    summary: "🌳".repeat(100),
  }));
  let isFailing = true;
  await page.route("**/ListTaggedPosts", (route) =>
    route.fulfill(isFailing ? { status: 429, json: error } : { json: { posts } }),
  );
  await send(page);
  await page.getByRole("alert").getByText("LIMIT").nth(19).waitFor();
  await expectToFit(page);
  isFailing = false;
  await send(page);
  await page.getByRole("button", { name: "Table" }).click();
  expect(await page.locator("tbody tr").count()).toBe(1000);
  await expectToFit(page);
});

test("a link with a hostile request sends nothing, and the page says what is wrong", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open();
  const posted: string[] = [];
  page.on("request", (request) => request.method() === "POST" && posted.push(request.url()));
  for (const message of ["null", "[[[]]]", '"x"', '{"fields":{"length":1e9}}', '{"__proto__":{"a":1}}']) {
    await page.goto(`${url}/#/blog.v1.BlogService/GetBlogInfo?message=${encodeURIComponent(message)}`);
    await page.locator(".problems p").first().waitFor();
    expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
    await page.getByLabel("JSON", { exact: true }).press("Control+Enter");
    await page.goto(`${url}/#/`);
    await page.getByRole("heading", { name: /services/ }).waitFor();
  }
  expect(posted).toEqual([]);
});

test("the search ranks methods whose names contain the words before those whose comments do", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open();
  const search = page.getByRole("searchbox");
  await search.fill("like a post");
  expect(await page.locator("nav a").first().textContent()).toBe("LikePost");
  await search.press("Enter");
  await page.getByRole("heading", { name: "LikePost" }).waitFor();
  await search.fill("zzz");
  await page.getByText("Search for a part of a name or a comment.").waitFor();
});

test("a list is also a table, and its addresses are links that load nothing", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("blog.v1.PostService/ListTaggedPosts");
  await send(page);
  await page.getByRole("button", { name: "Table" }).click();
  expect(await page.locator("tbody tr").count()).toBe(3);
  const link = page.locator("tbody a").first();
  expect(await link.getAttribute("rel")).toBe("noreferrer noopener");
  await page.getByRole("button", { name: "Headers" }).click();
  await page.getByText("x-request-id").waitFor();
  expect([...loaded]).toEqual([url]);
});

test("the HTTP request to the upstream is shown, and sent on demand", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("blog.v1.BlogService/GetBlogInfo");
  await page.getByText("HTTP request to the upstream").click();
  const text = page.getByRole("region", { name: "HTTP request to the upstream" });
  await text.getByText("> GET http").waitFor();
  expect(await text.textContent()).toMatch(/> GET \S+\/v2\/blog\/demo\/info/);
  await page.getByRole("button", { name: "Send, and show the HTTP response" }).click();
  await text.getByText("< 200").waitFor();
});

test("a link fills in the form and sends nothing, and the history omits nothing but secrets", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open('blog.v1.BlogService/GetBlogInfo?message={"blogIdentifier":"grace"}');
  expect(await page.getByLabel("blogIdentifier", { exact: true }).inputValue()).toBe("grace");
  expect(await page.locator(".response").count()).toBe(0);
  await send(page);
  await response(page).getByText("OK", { exact: true }).waitFor();
  await page.goto(`${url}/#/`);
  await page.getByText("Recent calls").click();
  await page.getByRole("link", { name: 'GetBlogInfo {"blogIdentifier":"grace"}' }).waitFor();
});

test("the state page shows calls, upstreams and limits, and follows them", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("state");
  const table = page.getByRole("region", { name: "Calls as a table" });
  await table.getByText("blog.v1.BlogService/GetBlogInfo").first().waitFor();
  await page.getByRole("region", { name: "Upstreams as a table" }).getByText("closed").first().waitFor();
  expect(await page.getByRole("meter", { name: "callsInFlight" }).count()).toBe(1);
  const body = JSON.stringify({ tag: "seed", limit: 1 });
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/blog.v1.PostService/ListTaggedPosts`, { method: "POST", headers, body });
  await table.getByText("blog.v1.PostService/ListTaggedPosts").first().waitFor();
  const failures = page.getByRole("region", { name: "Latest failures as a table" });
  await failures.getByText("BLOG_NOT_FOUND").first().waitFor();
});

test("a call is copied as a command", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open("blog.v1.BlogService/GetBlogInfo");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied").waitFor();
  const text = await page.evaluate<string>("navigator.clipboard.readText()");
  expect(text).toContain(`'${url}/blog.v1.BlogService/GetBlogInfo'`);
});

test("a method is found, filled in and called by keyboard alone", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const page = await open();
  await page.keyboard.press("/");
  await page.keyboard.type("get blog info");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "GetBlogInfo" }).waitFor();
  const isField = 'document.activeElement.id === "field-blogIdentifier"';
  for (let presses = 0; presses < 50; presses++) {
    if (await page.evaluate<boolean>(isField)) break;
    await page.keyboard.press("Tab");
  }
  expect(await page.evaluate<boolean>(isField)).toBe(true);
  await page.keyboard.press("Control+A");
  await page.keyboard.type("grace");
  await page.keyboard.press("Control+Enter");
  await response(page).getByText("OK", { exact: true }).waitFor();
  expect(await response(page).locator("pre").textContent()).toContain('"name": "grace"');
});

test.each(["light", "dark"] as const)(
  "no page has accessibility violations in %s mode",
  async (colorScheme) => {
    if (!hasChromium) return;
    for (const [method, width] of [
      ["", 1280],
      ["blog.v1.PostService/ListTaggedPosts", 1280],
      ["blog.v1.PostService/CreatePost", 390],
      ["state", 390],
    ] as const) {
      const page = await open(method, width);
      await page.emulateMedia({ colorScheme });
      if (method.includes("/")) {
        await page.getByText("HTTP request to the upstream").click();
        await send(page);
        await page.locator(".state.ok, .state.failed").waitFor();
      }
      expect(await violationsOf(page)).toEqual([]);
      await expectToFit(page);
    }
  },
);
