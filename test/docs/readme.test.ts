import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksBelow } from "./blocks.ts";
import { ROOT, type Running, run, start } from "./shell.ts";
import { curl, expectShown } from "./shown.ts";

const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");

let gateway: Running;
let ports: { readonly gateway: string; readonly sandbox: string };

beforeAll(async () => {
  gateway = start("GATEWAY_PORT=0 SANDBOX_PORT=0 connect-rest serve --sandbox", ROOT);
  const ready = /sandbox ready on http:.*:(\d+)\ngateway ready on http:.*:(\d+)\n/;
  const [, sandbox = "", port = ""] = await gateway.waitFor(ready);
  ports = { gateway: port, sandbox };
});

afterAll(() => gateway.stop());

/** Returns the text of a page with the actual ports. */
function real(text: string): string {
  return text.replaceAll(":8080", `:${ports.gateway}`).replaceAll(":8081", `:${ports.sandbox}`);
}

test("the first call has the response that the page shows", async () => {
  const [call, answer, grpc, upstream, failing, error, joining, joined, events, ...rest] = blocksBelow(
    readme,
    "## First call",
  );
  expect(rest).toEqual([]);
  expectShown(answer?.text ?? "", await curl(real(call?.text ?? "")));
  const { stdout } = await run(real(grpc?.text ?? ""), ROOT);
  expectShown(answer?.text ?? "", stdout);
  expectShown(upstream?.text ?? "", await askUpstream("/v2/blog/demo/info"));
  expectShown(error?.text ?? "", await curl(real(failing?.text ?? "")));
  const [join = "", list = ""] = real(joining?.text ?? "").split(/(?<=\n)/);
  expect(await curl(join)).toBe("{}");
  expectShown(joined?.text ?? "", await curl(list));
  expect(JSON.parse(await curl(real(events?.text ?? ""))).events).toHaveLength(3);
});

test("a stream of events delivers the events of the feed, and a token that resumes the stream", async () => {
  const [call, ...rest] = blocksBelow(readme, "## Watch events");
  expect(rest).toEqual([]);
  const watching = start(real(call?.text ?? ""), ROOT);
  const [, token = ""] = await watching.waitFor(/"resumeToken": "([\w-]+)"/);
  await watching.stop();
  const resumed = start(real(call?.text ?? "").replace('"backlog":true', `"resumeToken":"${token}"`), ROOT);
  await resumed.waitFor(/"resumeToken"/);
  await resumed.stop();
});

async function askUpstream(target: string): Promise<string> {
  const key = /apiKey: "(\w+)"/.exec(readme)?.[1];
  const url = `http://127.0.0.1:${ports.sandbox}${target}?api_key=${key}`;
  const answer = await fetch(url, { headers: { connection: "close", "user-agent": "test" } });
  return await answer.text();
}

test("the in-process call prints the output that the page shows", async () => {
  const [file, command, shown, ...rest] = blocksBelow(readme, "## The same call in-process");
  expect(rest).toEqual([]);
  const folder = mkdtempSync(path.join(tmpdir(), "readme-"));
  try {
    for (const name of ["gen", "node_modules"]) symlinkSync(path.join(ROOT, name), path.join(folder, name));
    writeFileSync(path.join(folder, file?.file ?? ""), real(file?.text ?? ""));
    const { stdout, stderr } = await run(command?.text ?? "", folder);
    expect(stdout, stderr).toBe(shown?.text);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
