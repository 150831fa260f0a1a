/** Runs a headless browser. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const hasChromium = spawnSync("chromium", ["--version"]).status === 0;

/** The reason for skipped tests without Chromium. */
export const NO_CHROMIUM = "chromium is not installed";

/** Flags of the browser. */
export const FLAGS = [
  "--headless",
  // Chromium's sandbox does not run as root.
  "--no-sandbox",
  "--disable-gpu",
  // Containers often have little shared memory.
  "--disable-dev-shm-usage",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Opens a page. Returns a function that closes the page. */
export function openPage(url: string): () => Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const child: ChildProcess = spawn("chromium", [...FLAGS, `--user-data-dir=${profile}`, url], {
    stdio: "ignore",
  });
  return async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}
