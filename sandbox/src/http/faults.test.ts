import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { ask, KEY, sendJson } from "../testing/client.ts";

let sandbox: Sandbox;
let info: string;
beforeEach(async () => {
  sandbox = await startSandbox();
  info = `${sandbox.url}/v2/blog/demo/info?${KEY}`;
});
afterEach(() => sandbox.close());

test("a fixed response is sent once, and then the real response", async () => {
  sandbox.next({ status: 503, headers: { "retry-after": "7" }, body: { error: "down" } });
  const got = await ask(info);
  expect([got.status, got.headers["retry-after"], got.json]).toEqual([503, "7", { error: "down" }]);
  expect((await ask(info)).status).toBe(200);
});

test("a fault waits for a request with its path, and may repeat", async () => {
  sandbox.next({ status: 500 }, { match: "/posts", times: 2 });
  sandbox.next({ status: 418 }, { match: /^GET .*limit=7/ });
  expect((await ask(info)).status).toBe(200);
  const posts = `${sandbox.url}/v2/blog/demo/posts?${KEY}`;
  expect((await ask(posts)).status).toBe(500);
  expect((await ask(`${posts}&limit=7`)).status).toBe(500);
  expect((await ask(`${posts}&limit=7`)).status).toBe(418);
  expect(sandbox.pendingFaults).toBe(0);
});

test("redirects, HTML, garbage, deep JSON and large JSON can be sent", async () => {
  sandbox.next({ redirect: "http://elsewhere.example/" });
  expect((await ask(info)).headers.location).toBe("http://elsewhere.example/");
  sandbox.next({ html: true });
  expect((await ask(info)).text).toContain("<h1>Bad Gateway</h1>");
  sandbox.next({ garbage: 100 });
  const garbage = await ask(info);
  expect([garbage.bytes.length, garbage.json]).toEqual([100, undefined]);
  sandbox.next({ deep: 50 });
  expect((await ask(info)).text).toBe("[".repeat(50) + "]".repeat(50));
  sandbox.next({ oversize: 1_000_000 });
  const big = await ask(info);
  expect([big.bytes.length, big.json.meta.status]).toEqual([1_000_000, 200]);
});

test.each([true, "before", "after", "headers", "body"] as const)("reset: %s", async (reset) => {
  sandbox.next({ reset });
  await expect(ask(info)).rejects.toThrow();
  expect(sandbox.received.total).toBe(1);
});

test("a reset after the handler does not undo the changes of the handler", async () => {
  const posts = `${sandbox.url}/v2/blog/demo/posts`;
  const total = async () => (await ask(`${posts}?${KEY}`)).json.response.total_posts;
  const before = await total();
  sandbox.next({ reset: "after" });
  await expect(sendJson(posts, { content: [{ type: "text", text: "x" }] })).rejects.toThrow();
  sandbox.next({ reset: "before" });
  await expect(sendJson(posts, { content: [{ type: "text", text: "x" }] })).rejects.toThrow();
  expect(await total()).toBe(before + 1);
});

test("truncate declares the full length and sends fewer bytes", async () => {
  sandbox.next({ truncate: 10 });
  await expect(ask(info)).rejects.toThrow();
});

test("drip and delay send the real response slowly", async () => {
  const real = (await ask(info)).text;
  sandbox.next({ drip: 500, every: 2 });
  expect((await ask(info)).text).toBe(real);
  sandbox.next({ delay: 30 });
  const start = performance.now();
  expect((await ask(info)).text).toBe(real);
  expect(performance.now() - start).toBeGreaterThan(25);
});

test("drift changes the JSON before it is sent", async () => {
  sandbox.next({
    drift: (json) => {
      (json as { response: { blog: { posts: unknown } } }).response.blog.posts = "53";
      return json;
    },
  });
  expect((await ask(info)).json.response.blog.posts).toBe("53");
});

test("headers can be added and removed", async () => {
  sandbox.next({ headers: { "x-extra": "1", "x-ratelimit-perday-limit": undefined } });
  const got = await ask(info);
  expect([got.status, got.headers["x-extra"], got.headers["x-ratelimit-perday-limit"]]).toEqual([
    200,
    "1",
    undefined,
  ]);
});

test("raw bytes are written to the socket unchanged", async () => {
  sandbox.next({ raw: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi" });
  expect((await ask(info)).text).toBe("hi");
});

test.each([true, "headers", "body"] as const)(
  "a request with the fault hang %s waits until the sandbox is closed",
  async (hang) => {
    sandbox.next({ hang });
    const asked = ask(info).then(
      () => "responded",
      () => "dropped",
    );
    const early = await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 50, "waiting"))]);
    expect(early).toBe("waiting");
    await sandbox.close();
    expect(await asked).toBe("dropped");
  },
);

test("received contains the method, the raw URL, the headers and the body, and close leaves no socket open", async () => {
  await sendJson(`${sandbox.url}/v2/blog/t%3Ax/posts?a=%5B1%5D`, { a: 1 }, { headers: { "X-Mixed": "y" } });
  const [request] = sandbox.received.all("/posts");
  expect(request?.url).toBe("/v2/blog/t%3Ax/posts?a=%5B1%5D");
  expect([request?.method, request?.text, request?.headers["x-mixed"]]).toEqual(["POST", '{"a":1}', "y"]);
  expect(request?.rawHeaders).toContain("X-Mixed");
  sandbox.received.clear();
  expect(sandbox.received.all()).toEqual([]);
  const { port } = new URL(sandbox.url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  await sandbox.close();
  await once(socket, "close");
});

test("the executable prints its address, and exits with 0 after SIGTERM", async () => {
  const main = new URL("../main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [main, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const url = /^sandbox ready on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(String(line))?.[1] ?? "";
  expect((await ask(`${url}/v2/blog/demo/info?${KEY}`)).status).toBe(200);
  child.kill("SIGTERM");
  expect((await once(child, "exit"))[0]).toBe(0);
});

test("with an IPC parent the executable sends one ready message, ignores signals, and exits when the channel closes", async () => {
  const main = new URL("../main.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [main, "--port", "0"], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [message] = (await once(child, "message")) as [
    { type: string; url: string; upstreams: Record<string, { bases: { api: string } }> },
  ];
  expect(message.type).toBe("ready");
  expect(message.upstreams.blog?.bases).toEqual({ api: message.url, web: message.url });
  expect((await ask(`${message.upstreams.events?.bases.api}/events`)).status).toBe(200);
  child.kill("SIGTERM");
  child.kill("SIGINT");
  expect((await ask(`${message.url}/v2/blog/demo/info?${KEY}`)).status).toBe(200);
  child.disconnect();
  expect((await once(child, "exit"))[0]).toBe(0);
});
