import { createHash } from "node:crypto";
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { BEARER, multipart } from "../testing/client.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const BOUNDARY = "x-boundary-x";

/** Sends a video of `size` bytes in chunks, without a length, before the `json` part. */
function sendVideo(size: number): Promise<string> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="v"; filename="v.mp4"\r\nContent-Type: video/mp4\r\n\r\n`;
  const json = JSON.stringify({ content: [{ type: "video", media: { identifier: "v" } }], state: "draft" });
  const tail = `\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="json"\r\n\r\n${json}\r\n--${BOUNDARY}--\r\n`;
  return new Promise((resolve, reject) => {
    const headers = {
      ...BEARER,
      "user-agent": "test/1",
      "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    };
    const sending = request(`${sandbox.url}/v2/blog/demo/posts`, { method: "POST", headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve(text));
    });
    sending.on("error", reject);
    sending.write(head);
    const block = Buffer.alloc(1024 * 1024, 7);
    let left = size;
    const go = () => {
      while (left > 0) {
        const piece = left < block.length ? block.subarray(0, left) : block;
        left -= piece.length;
        if (sending.write(piece)) continue;
        sending.once("drain", go);
        return;
      }
      sending.end(tail);
    };
    go();
  });
}

test("a large video is hashed and counted in constant memory", async () => {
  const size = 256 * 1024 * 1024 + 5;
  let peak = 0;
  const before = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }, 5);
  const response = await sendVideo(size);
  clearInterval(timer);
  expect(response).toContain('"status":201');
  // client and sandbox share this process, and garbage is collected late, so the bound is not tight
  expect(peak).toBeLessThan(size / 2);
  expect(sandbox.received.last?.size).toBeGreaterThan(size);
  expect(sandbox.received.last?.body.length).toBe(1024 * 1024);
  const hash = createHash("sha256");
  const block = Buffer.alloc(1024 * 1024, 7);
  for (let i = 0; i < 256; i++) hash.update(block);
  const digest = hash.update(block.subarray(0, 5)).digest("hex");
  const posts = await fetch(`${sandbox.url}/v2/blog/demo/posts/draft?npf=true`, { headers: BEARER });
  expect(await posts.text()).toContain(digest.slice(0, 32));
}, 60_000);

test.each([
  ["no boundary", "multipart/form-data", "x"],
  [
    "a premature end",
    "multipart/form-data; boundary=x",
    '--x\r\nContent-Disposition: form-data; name="json"\r\n\r\n{"a":',
  ],
  ["no part", "multipart/form-data; boundary=x", "nothing"],
])("a multipart body with %s is rejected with 400", async (_name, type, body) => {
  const headers = { ...BEARER, "content-type": type };
  const got = await fetch(`${sandbox.url}/v2/blog/demo/posts`, { method: "POST", headers, body });
  expect(got.status).toBe(400);
});

test("a multipart body with two parts of the same name is rejected with 400", async () => {
  const part = { name: "a", value: "x", filename: "a.png", type: "image/png" };
  const json = { name: "json", value: '{"content":[{"type":"image","media":{"identifier":"a"}}]}' };
  const { headers, body } = multipart([json, part, part]);
  const got = await fetch(`${sandbox.url}/v2/blog/demo/posts`, {
    method: "POST",
    headers: { ...headers, ...BEARER },
    body: new Uint8Array(body),
  });
  expect(got.status).toBe(400);
});
