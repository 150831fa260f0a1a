/** Starts a browser for tests of the gateway's pages, and checks their accessibility. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { type Run, runCli } from "../../gateway/src/testing/child.ts";
import { FLAGS } from "./chromium.ts";

export const ROOT = path.resolve(import.meta.dirname, "../..");

/** A browser, and a gateway with the sandbox. */
export interface World {
  readonly browser: Browser;
  readonly run: Run;
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a browser, and the gateway with arguments. */
export async function startWorld(args: readonly string[]): Promise<World> {
  const run = runCli(args, ROOT);
  const executablePath = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
  const browser = await chromium.launch({ executablePath, args: [...FLAGS] });
  const url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
  const close = async () => {
    await browser.close();
    run.process.kill("SIGTERM");
    await run.exit;
  };
  return { browser, run, url, close };
}

/** Returns the accessibility violations of a page. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate(() => {
    const { axe: tester } = globalThis as unknown as { axe: typeof axe };
    return tester.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
  });
  expect(results.passes.length).toBeGreaterThan(10);
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
}

/** Expects that a page needs no horizontal scrolling. */
export async function expectToFit(page: Page): Promise<void> {
  const [wide, view] = await page.evaluate<number[]>("[document.documentElement.scrollWidth, innerWidth]");
  expect(wide).toBeLessThanOrEqual(view ?? 0);
}
