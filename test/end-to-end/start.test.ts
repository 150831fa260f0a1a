import { spawnSync } from "node:child_process";
import https from "node:https";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type Child, ROOT, startChild } from "./child.ts";
import { type HeldCall, holdConnectCall, holdGrpcCall } from "./held-calls.ts";
import { shell } from "./shell.ts";

const CHILDREN: Child[] = [];
afterEach(() => {
  for (const child of CHILDREN.splice(0)) child.signalAll("SIGKILL");
});

function start(command: string, args: readonly string[]): Child {
  const child = startChild(command, args);
  CHILDREN.push(child);
  return child;
}

async function addressOf(child: Child): Promise<string> {
  const [, url = ""] = await child.printed(/^gateway ready on (http:\S+)$/m);
  return url;
}

/** Returns the JSON that a line prints in a shell. */
async function printedBy(line: string): Promise<unknown> {
  return JSON.parse(await shell(line));
}

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test("npm start: prints both addresses, and commands that work when they are pasted", async (context) => {
  const child = start("npm", ["start"]);
  const url = await addressOf(child);
  await child.printed(/^npx buf curl /m);
  const lines = child
    .stdout()
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(">"));
  const call = `${url}/blog.v1.BlogService/GetBlogInfo`;
  expect(lines).toEqual([
    expect.stringMatching(/^sandbox ready on http:\/\/127\.0\.0\.1:\d+$/),
    `gateway ready on ${url}`,
    `console ready on ${url}/`,
    "Try:",
    `curl -d '{"blogIdentifier":"demo"}' -H 'content-type: application/json' ${call}`,
    `npx buf curl --protocol grpc --http2-prior-knowledge --data '{"blogIdentifier":"demo"}' ${call}`,
  ]);

  const [curl = "", bufCurl = ""] = lines.slice(4);
  const byGrpc = await printedBy(bufCurl);
  expect(byGrpc).toMatchObject({ blog: { name: "demo", title: "Demo & friends", themeId: "3814" } });
  for (const protocol of ["grpcweb", "connect"]) {
    const json = `--data '{"blogIdentifier":"demo"}' ${call}`;
    expect(await printedBy(`buf curl --protocol ${protocol} --http2-prior-knowledge ${json}`)).toEqual(
      byGrpc,
    );
  }
  expect((await fetch(`${url}/`, { headers: { connection: "close" } })).status).toBe(200);
  if (!hasCurl) context.skip("curl is not installed");
  expect(await printedBy(curl)).toEqual(byGrpc);
});

describe.each(["SIGINT", "SIGTERM"] as const)("npm start: on %s", (signal) => {
  test.each([
    ["to all processes, as by a terminal", (child: Child) => child.signalAll(signal)],
    ["to npm alone, as by a supervisor", (child: Child) => void child.process.kill(signal)],
  ])("sent %s, the signal loses no call, and the exit status is 0", async (_name, send) => {
    const child = start("npm", ["start"]);
    const url = await addressOf(child);
    const calls = await holdCalls(url);
    send(child);
    await finishCalls(calls, child);
    expect(await child.exit).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });
});

test("npm start with sandbox options: the sandbox serves HTTPS at its public address, and the gateway reaches it", async () => {
  const publicUrl = "https://api.public.example";
  const child = start("npm", ["start", "--", "--sandbox-tls", "--sandbox-public-url", publicUrl]);
  const url = await addressOf(child);
  const [, port = ""] = await child.printed(/^sandbox ready on https:\/\/127\.0\.0\.1:(\d+)$/m);

  const post = (method: string) =>
    fetch(`${url}/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ blogIdentifier: "demo" }),
    });
  const signed = await post("blog.v1.BlogService/GetAvatar");
  expect(await signed.json()).toMatchObject({ avatarUrl: expect.stringContaining(publicUrl) });
  expect((await post("blog.v1.BlogService/GetBlogInfo")).status).toBe(200);
  expect(await statusByHttps(`https://127.0.0.1:${port}/v2/blog/demo/avatar`)).toBe(200);
});

test("connect-rest serve --sandbox-events: passes the number to the sandbox", async () => {
  const child = start(process.execPath, [bin, "serve", "--sandbox-events", "many"]);
  expect(await child.exit).toBe(1);
  expect(child.stderr()).toContain("sandbox: invalid number of events: many\n");
});

/** Returns the status of a GET without verifying the certificate, which is new at every start. */
function statusByHttps(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { rejectUnauthorized: false, agent: false, headers: { "user-agent": "test" } };
    https
      .get(url, options, (response) => response.resume().once("end", () => resolve(response.statusCode)))
      .once("error", reject);
  });
}

const bin = path.join(ROOT, "gateway/src/bin.ts");

test.each(["SIGINT", "SIGTERM"] as const)(
  "connect-rest serve --sandbox: loses no call on %s, and exits with 0",
  async (signal) => {
    const child = start(process.execPath, [bin, "serve", "--sandbox"]);
    const url = await addressOf(child);
    const calls = await holdCalls(url);
    child.process.kill(signal);
    await finishCalls(calls, child);
    expect(await child.exit).toBe(0);
    expect(child.stderr()).not.toMatch(/"level":"(?:error|warn)"/);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  },
);

/** Begins calls by several protocols, each on a separate connection. */
function holdCalls(url: string): Promise<HeldCall[]> {
  return Promise.all([
    ...Array.from({ length: 5 }, () => holdConnectCall(url)),
    ...Array.from({ length: 5 }, () => holdGrpcCall(url)),
  ]);
}

/** Continues the calls while the process drains, and checks their results. */
async function finishCalls(calls: readonly HeldCall[], child: Child): Promise<void> {
  await child.printed(/"msg":"draining/);
  const names = await Promise.all(calls.map((call) => call.finish()));
  expect(names).toEqual(calls.map(() => "demo"));
}
