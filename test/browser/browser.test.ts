/** Tests web pages in a real browser, on an origin that differs from the gateway's. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { startWorld, type World } from "../end-to-end/world.ts";
import { hasChromium, NO_CHROMIUM, openPage } from "./chromium.ts";
import { type PageServer, servePage } from "./page-server.ts";

let page: PageServer;
let world: World | undefined;

beforeEach(async () => {
  page = await servePage();
});
afterEach(async () => {
  page.close();
  await world?.close();
  world = undefined;
});

/** Returns the report of a page about a gateway that allows these origins. */
async function reportOf(origins: readonly string[]): Promise<unknown> {
  world = await startWorld({ gateway: { origins } });
  const close = openPage(`${page.url}/#${world.gateway.url}`);
  try {
    return await page.report;
  } finally {
    await close();
  }
}

test("a page calls in every way that browsers support, reads headers and errors, and cancels streams", async ({
  skip,
}) => {
  skip(!hasChromium, NO_CHROMIUM);
  const seen = {
    title: "Demo & friends",
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    remaining: expect.stringMatching(/^\d+$/),
    newest: expect.stringMatching(/^\d{18}$/),
    streamed: 3,
    cancelled: "Canceled",
    missing: {
      code: "NotFound",
      reason: "BLOG_NOT_FOUND",
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
  };
  const report = await reportOf([page.url]);
  expect(report).toEqual({
    "Connect JSON": seen,
    "Connect proto": seen,
    "Connect GET": seen,
    "gRPC-Web proto": seen,
    "gRPC-Web JSON": seen,
  });
  const newest = Object.values(report as Record<string, { newest: string }>).map(({ newest }) => newest);
  expect(newest).toEqual(newest.map(() => String(world?.newest[0])));
});

test("a page from an origin that is not allowed cannot read responses", async ({ skip }) => {
  skip(!hasChromium, NO_CHROMIUM);
  const report = await reportOf(["https://elsewhere.example"]);
  expect(report).toBe("ConnectError: [unknown] Failed to fetch");
  const calls = world?.log.filter(({ msg }) => msg === "call");
  // The browser sent only a preflight request.
  expect(calls).toMatchObject([{ code: "http_405", bytesIn: 0 }]);
});
