/** Compares the memory that large and small recordings need. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { finished } from "node:stream/promises";
import { afterAll, expect, test } from "vitest";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-large-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** The size of a body, in characters. */
const BODY = 100_000;
/** The heap of the process, in MiB. The large file does not fit. */
const HEAP_MB = 96;

async function recording(name: string, entries: number): Promise<string> {
  const file = path.join(directory, name);
  const out = createWriteStream(file);
  out.write('{"log":{"entries":[');
  for (let index = 0; index < entries; index++) {
    const body = {
      meta: { status: 200 },
      response: { blog: { name: `${index}`, description: "x".repeat(BODY) } },
    };
    const entry = {
      request: { method: "GET", url: `https://api.blog.example/v2/blog/b${index}/info` },
      response: {
        status: 200,
        headers: [],
        content: { mimeType: "application/json", text: JSON.stringify(body) },
      },
    };
    const isFull = !out.write(`${index === 0 ? "" : ","}${JSON.stringify(entry)}`);
    if (isFull) await once(out, "drain");
  }
  out.end("]}}");
  await finished(out);
  return file;
}

/** Returns the peak resident memory of a comparison, in KiB. */
function peakOf(file: string, entries: number): number {
  const bin = path.resolve("gateway/src/bin.ts");
  const report = `process.on("exit", () => process._rawDebug("peak " + process.resourceUsage().maxRSS));`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      "--import",
      `data:text/javascript,${encodeURIComponent(report)}`,
      bin,
      "verify",
      file,
    ],
    { encoding: "utf8" },
  );
  expect(stdout, stderr).toContain(`Compared ${entries} of ${entries} exchanges`);
  return Number(/peak (\d+)/.exec(stderr)?.[1]);
}

test("a recording of 400 MB needs hardly more memory than one of 100 MB", { timeout: 300_000 }, async () => {
  const small = peakOf(await recording("small.har", 1000), 1000);
  const large = peakOf(await recording("large.har", 4000), 4000);
  expect(large / small).toBeLessThan(1.25);
});
