import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { selfSigned } from "./index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "sandbox-main-"));
afterAll(() => rmSync(folder, { recursive: true }));
const { cert, key } = selfSigned();
for (const [name, text] of Object.entries({ cert, key })) writeFileSync(path.join(folder, name), text);

/** What a start prints; it is ended once the last line that is waited for is there. */
function printed(args: readonly string[], until: RegExp): Promise<string> {
  const main = path.join(import.meta.dirname, "main.ts");
  const child = spawn(process.execPath, [main, "--port", "0", ...args], { cwd: folder });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (until.test(text)) child.kill();
    });
  }
  return new Promise((resolve) => child.once("close", () => resolve(text)));
}

test.each([["--tls"], ["--tls-cert=cert", "--tls-key=key"]])(
  "%s lets the port take HTTPS",
  async (...args) => {
    const text = await printed(args, /ready on https/);
    const [, plain, secure] =
      /ready on http:\/\/127\.0\.0\.1:(\d+)\n.*ready on https:\/\/127\.0\.0\.1:(\d+)\n/.exec(text) ?? [];
    expect(plain, text).toMatch(/^\d+$/);
    expect(secure).toBe(plain);
  },
);

test.each([
  ["--tls-cert=cert", "--tls-cert and --tls-key belong together"],
  ["--public-url=example.org", "invalid public URL, expected https://host[:port]: example.org"],
])("%s is refused", async (arg, reason) => {
  expect(await printed([arg], /ready/)).toBe(`sandbox: ${reason}\n`);
});
