import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "./index.ts";
import { ask, BEARER, KEY, sendJson, signed } from "./testing/client.ts";

const newPost = { content: [{ type: "text", text: "kept" }] };

test("a database file keeps its state across starts", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-"));
  const database = join(folder, "state.sqlite");
  const first = await startSandbox({ database });
  const { id } = (await sendJson(`${first.url}/v2/blog/demo/posts`, newPost)).json.response;
  await first.close();
  const second = await startSandbox({ database });
  const got = await ask(`${second.url}/v2/blog/demo/posts?id=${id}&${KEY}`);
  expect(got.json.response.posts[0].body).toBe("<p>kept</p>");
  await second.close();
  await rm(folder, { recursive: true });
});

test("reset restores the seeded state", async () => {
  const sandbox = await startSandbox({ clock: 1_800_000_000_000 });
  const url = `${sandbox.url}/v2/blog/demo/posts?${KEY}`;
  const before = (await ask(url)).text;
  await sendJson(`${sandbox.url}/v2/blog/demo/posts`, newPost);
  sandbox.events.publish({ type: "PublicEvent", actor: "octavia", repo: "octo/hello", payload: {} });
  sandbox.next({ status: 500 });
  expect(sandbox.received.total).toBe(2);
  sandbox.reset();
  expect([sandbox.received.total, sandbox.pendingFaults]).toEqual([0, 0]);
  expect((await ask(url)).text).toBe(before);
  expect((await ask(`${sandbox.feedUrl}/events`)).json[0].id).toBe("52000000420");
  await sandbox.close();
});

test("the rules about HTTPS, User-Agent and the public address can be changed", async () => {
  const sandbox = await startSandbox({
    requireHttps: true,
    requireUserAgent: false,
    publicUrl: "https://api.public.example",
  });
  const info = `${sandbox.url}/v2/blog/demo/info`;
  const https = { "x-forwarded-proto": "https" };
  expect((await ask(info, { headers: BEARER })).status).toBe(404);
  expect((await ask(info, { headers: { ...BEARER, ...https }, anonymous: true })).status).toBe(200);
  expect((await ask(info, { headers: { ...signed(info), ...https } })).status).toBe(401);
  const signedForIt = signed("https://api.public.example/v2/blog/demo/info");
  expect((await ask(info, { headers: { ...signedForIt, ...https } })).status).toBe(200);
  await sandbox.close();
});

test("the limit per address applies once it has been set", async () => {
  const sandbox = await startSandbox({ limits: { callsPerAddressPerMinute: 1 }, clock: 1_800_000_000_000 });
  const avatar = `${sandbox.url}/v2/blog/demo/avatar`;
  expect((await ask(avatar)).status).toBe(200);
  const got = await ask(avatar);
  expect([got.status, got.headers["retry-after"], got.json.meta.msg]).toEqual([429, "60", "Limit Exceeded"]);
  await sandbox.close();
});

test("close with a grace period waits for a response in progress, but not longer than the period", async () => {
  const sandbox = await startSandbox();
  const info = `${sandbox.url}/v2/blog/demo/info?${KEY}`;
  sandbox.next({ delay: 60 });
  const slow = fetch(info).then((response) => response.json());
  while (sandbox.received.total === 0) await new Promise((resolve) => setImmediate(resolve));
  const start = performance.now();
  await sandbox.close(60_000);
  expect(await slow).toMatchObject({ meta: { status: 200 } });
  expect(performance.now() - start).toBeLessThan(60_000);
});

test("a client that disconnects during an upload does not affect later requests", async () => {
  const sandbox = await startSandbox();
  const gone = new AbortController();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(
        new TextEncoder().encode('--x\r\nContent-Disposition: form-data; name="v"; filename="v"\r\n\r\nabc'),
      );
    },
  });
  const headers = { ...BEARER, "content-type": "multipart/form-data; boundary=x" };
  const upload = fetch(`${sandbox.url}/v2/blog/demo/posts`, {
    method: "POST",
    headers,
    body,
    duplex: "half",
    signal: gone.signal,
  });
  while ((sandbox.received.last?.size ?? 0) === 0) await new Promise((resolve) => setImmediate(resolve));
  gone.abort();
  await expect(upload).rejects.toThrow();
  expect((await ask(`${sandbox.url}/v2/blog/demo/info?${KEY}`)).status).toBe(200);
  await sandbox.close();
});

test("links and signatures use the public address, and a direct request may be signed for the local address", async () => {
  const sandbox = await startSandbox({ publicUrl: "https://api.public.example:8443/" });
  const path = "/v2/blog/demo/avatar";
  const headers = signed(`https://api.public.example:8443${path}`);
  const got = await ask(sandbox.url + path, { headers });
  expect(got.headers.location).toMatch(/^https:\/\/api\.public\.example:8443\/media\//);
  expect(got.json.response.avatar_url).toBe(got.headers.location);
  const direct = await ask(sandbox.url + path, { headers: signed(sandbox.url + path) });
  expect([direct.status, direct.headers.location]).toEqual([302, got.headers.location]);
  await sandbox.close();
});

test.each(["api.public.example", "https://api.public.example/sandbox", "ftp://api.public.example", ""])(
  "%j is rejected as a public address",
  async (publicUrl) => {
    await expect(startSandbox({ publicUrl })).rejects.toThrow("invalid public URL");
  },
);
