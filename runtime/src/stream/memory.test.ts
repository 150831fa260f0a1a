import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../testing/upload-memory.ts", import.meta.url));

test("uploads and downloads of many megabytes need little memory", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=64", program, "96"]);
  const { uploaded, downloaded, grown } = JSON.parse(stdout) as Record<string, number>;
  expect(uploaded).toBeGreaterThanOrEqual(96);
  expect(downloaded).toBe(96);
  expect(grown).toBeLessThan(80);
});
