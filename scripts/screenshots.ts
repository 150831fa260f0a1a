/**
 * Takes pictures of the console into docs/images/: `npm run screenshots`. Needs Chromium. Starts the gateway
 * with the sandbox, whose data never changes.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { FLAGS } from "../test/browser/chromium.ts";

const FOLDER = process.argv[2] ?? "docs/images";

/** The widths of a phone, a tablet and a desktop, in pixels. */
const WIDTHS = [390, 768, 1440] as const;

/** A picture of a method, after what a person does there. */
interface Picture {
  readonly name: string;
  readonly address: string;
  readonly isDark?: boolean;
  readonly act?: (page: Page) => Promise<void>;
}

const send = async (page: Page) => {
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.locator(".state.ok, .state.failed").waitFor();
};

const PICTURES: readonly Picture[] = [
  { name: "overview", address: "" },
  { name: "form", address: "blog.v1.PostService/CreatePost" },
  {
    name: "response",
    address: "blog.v1.PostService/ListTaggedPosts",
    isDark: true,
    act: async (page) => {
      await send(page);
      await page.getByRole("button", { name: "Table" }).click();
    },
  },
  {
    name: "request",
    address: "blog.v1.BlogService/GetBlogInfo",
    act: async (page) => {
      await page.getByText("HTTP request to the upstream").click();
      await page.getByRole("button", { name: "Send, and show the HTTP response" }).click();
      await page.getByText("< 200").waitFor();
    },
  },
  {
    name: "state",
    address: "state",
    act: async (page) => {
      await page.getByRole("heading", { name: "Differences" }).waitFor();
      for (let sample = 1; sample <= 5; sample++) {
        const blogs = Array.from({ length: sample }, (_, index) => (index === 2 ? "nobody" : "demo"));
        const url = `http://127.0.0.1:${PORT}/blog.v1.BlogService/GetBlogInfo`;
        await Promise.all(
          blogs.map((blogIdentifier) => page.request.post(url, { data: { blogIdentifier } })),
        );
        await page.waitForTimeout(2000);
      }
    },
  },
  {
    name: "error",
    address: 'blog.v1.BlogService/GetBlogInfo?message={"blogIdentifier":"nobody"}',
    act: send,
  },
];

/** The pictures of a gateway that authorizes its callers. */
const SIGN_IN_PICTURES: readonly Picture[] = [
  { name: "sign-in", address: "" },
  {
    name: "signed-in",
    address: "blog.v1.BlogService/GetBlogInfo",
    act: async (page) => {
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByLabel("Name").fill("demo");
      await page.getByLabel("Password").fill("demo-password");
      await page.getByRole("button", { name: "Allow" }).click();
      await page.waitForURL(({ port }) => port === String(PORT));
      const consents = page.url().includes("/authorize/");
      if (consents) await page.getByRole("button", { name: "Allow" }).first().click();
      await page.getByText("Signed in", { exact: true }).click();
    },
  },
];

const PORT = 18099;

async function take(browser: Browser, url: string, picture: Picture, width: number): Promise<void> {
  const { name, address, isDark = false, act } = picture;
  const viewport = { width, height: width < 500 ? 844 : 900 };
  const context = await browser.newContext({ viewport, colorScheme: isDark ? "dark" : "light" });
  const page = await context.newPage();
  await page.goto(`${url}/#/${address}`);
  await page.locator("h1").waitFor();
  await act?.(page);
  await page.screenshot({ path: `${FOLDER}/console-${name}-${width}.png` });
  await context.close();
}

/** Takes the pictures of a gateway that is started with an argument. */
async function takeAll(browser: Browser, argument: string, pictures: readonly Picture[]): Promise<void> {
  const args = ["gateway/src/bin.ts", "serve", argument, "--port", String(PORT)];
  const gateway = spawn(process.execPath, args, {
    env: { ...process.env, SANDBOX_PORT: "18098" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  for await (const text of gateway.stdout) if (String(text).includes("gateway ready on")) break;
  for (const picture of pictures) {
    for (const width of WIDTHS) await take(browser, `http://127.0.0.1:${PORT}`, picture, width);
  }
  gateway.kill("SIGINT");
  await once(gateway, "exit");
}

mkdirSync(FOLDER, { recursive: true });
const executablePath = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
const browser = await chromium.launch({ executablePath, args: [...FLAGS] });
await takeAll(browser, "--sandbox", PICTURES);
await takeAll(browser, "--auth", SIGN_IN_PICTURES);
await browser.close();
