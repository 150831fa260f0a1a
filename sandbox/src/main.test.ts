import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  ["--events=many", "invalid number of events: many"],
  ["--events=", "invalid number of events: "],
  ["--events=-1", "invalid number of events: -1"],
  ["--events=4000000", "invalid number of events in an hour, expected more than 0 up to 3600000: 4000000"],
  ["--events-latency=1h", "invalid latency: 1h"],
  ["--public-url=example.org", "invalid public URL, expected https://host[:port]: example.org"],
])("%s is rejected", async (arg, reason) => {
  expect(await printed([arg], /ready/)).toBe(`sandbox: ${reason}\n`);
});

test("--help names every option, and starts nothing", async () => {
  const text = await printed(["--help"], /ready/);
  const main = readFileSync(path.join(import.meta.dirname, "main.ts"), "utf8");
  const options = [...main.matchAll(/^ {6}"?([\w-]+)"?: \{ type:/gm)].map(([, name]) => name);
  expect(options).toContain("events");
  for (const name of options) expect(text).toMatch(new RegExp(`^ {2}--${name}\\b`, "m"));
  expect(text).not.toContain("ready");
});

/** Ids of the feed's newest events, once they are others than before. */
async function news(url: string, before: string): Promise<string> {
  for (;;) {
    const events = (await (await fetch(`${url}/feed/events`)).json()) as { id: string }[];
    const ids = events.map(({ id }) => id).join(" ");
    if (ids !== before) return ids;
  }
}

test("events arrive by themselves", async () => {
  const main = path.join(import.meta.dirname, "main.ts");
  const args = ["--port", "0", "--events", "36000", "--events-latency", "0"];
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = /http:\S+/.exec(line.toString())?.[0] ?? "";
  const first = await news(url, "");
  expect(await news(url, first)).not.toBe(first);
  child.kill();
  await once(child, "close");
});
