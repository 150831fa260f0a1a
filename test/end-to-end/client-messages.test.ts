import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import http2 from "node:http2";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Child, ROOT, startChild } from "./child.ts";

const MIB = 1024 * 1024;
const METHOD = "/blog.v1.BlogService/GetBlogInfo";

let gateway: Child;
let url: string;
beforeAll(async () => {
  gateway = startChild(process.execPath, [path.join(ROOT, "gateway/src/bin.ts"), "serve", "--sandbox"]);
  [, url = ""] = await gateway.printed(/^gateway ready on (http:\S+)$/m);
  // The first calls create everything that later calls share.
  for (let i = 0; i < 50; i++) expect((await post('{"blogIdentifier":"demo"}')).status).toBe(200);
});
afterAll(async () => {
  gateway.signalAll("SIGTERM");
  // The process must have survived all messages.
  expect(await gateway.exit).toBe(0);
});

function post(body: string | Buffer, headers: Record<string, string> = {}, type = "application/json") {
  return fetch(url + METHOD, {
    method: "POST",
    headers: { "content-type": type, connection: "close", ...headers },
    body: typeof body === "string" ? body : Uint8Array.from(body),
  });
}

async function rejection(body: string | Buffer, headers?: Record<string, string>): Promise<unknown> {
  const response = await post(body, headers);
  return Object.assign({ status: response.status }, await response.json());
}

/** Sends one gRPC message with these `flags`. Resolves with the status and the text of the response. */
async function grpc(flags: number, message: Buffer, headers: http2.OutgoingHttpHeaders = {}) {
  const session = http2.connect(url);
  const stream = session.request({
    ":method": "POST",
    ":path": METHOD,
    "content-type": "application/grpc+proto",
    te: "trailers",
    ...headers,
  });
  const got: http2.IncomingHttpHeaders[] = [];
  stream.on("response", (head) => got.push(head)).on("trailers", (tail) => got.push(tail));
  const prefix = Buffer.of(flags, 0, 0, 0, 0);
  prefix.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([prefix, message]));
  stream.resume();
  await once(stream, "close");
  session.close();
  const { "grpc-status": status, "grpc-message": text = "" } = Object.assign({}, ...got);
  return { status: String(status), text: decodeURIComponent(String(text)) };
}

test.each([
  ["a repeated key", '{"blogIdentifier":"demo","blogIdentifier":"ada"}'],
  ["a key in both of its spellings", '{"blogIdentifier":"demo","blog_identifier":"ada"}'],
  ["a repeated key, once with an escape", '{"blogIdentifier":"demo","\\u0062logIdentifier":"ada"}'],
])("a JSON message with %s is rejected", async (_name, body) => {
  expect(await rejection(body)).toMatchObject({ status: 400, code: "invalid_argument" });
});

test.each([
  ["is not JSON", "{"],
  ["is empty", ""],
  ["is an array instead of an object", "[]"],
  ["is nested deeply", `{"fields":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
  ["is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
])("a JSON message that %s is rejected", async (_name, body) => {
  expect(await rejection(body)).toMatchObject({ status: 400, code: "invalid_argument" });
});

test("a JSON message with excessive nesting gets RESOURCE_EXHAUSTED", async () => {
  const body = `{"fields":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  expect(await rejection(body)).toMatchObject({ status: 429, code: "resource_exhausted" });
});

test.each(["9999999999", "2147483648", "2147483647", "15000"])(
  "a deadline of %s ms is accepted",
  async (ms) => {
    const response = await post('{"blogIdentifier":"demo"}', { "connect-timeout-ms": ms });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ blog: { name: "demo" } });
  },
);

test.each(["99999999H", "99999999M", "99999999S", "99999999m", "99999999n"])(
  "a gRPC timeout of %s is accepted",
  async (timeout) => {
    expect(await grpc(0, DEMO, { "grpc-timeout": timeout })).toEqual({ status: "0", text: "" });
  },
);

test.each(["99999999999", "-1", "1.5", "soon"])("the invalid deadline %s is rejected", async (ms) => {
  const answer = await rejection('{"blogIdentifier":"demo"}', { "connect-timeout-ms": ms });
  expect(answer).toMatchObject({ status: 400, code: "invalid_argument" });
});

/** A GetBlogInfoRequest with the blog `demo`. */
const DEMO = Buffer.from("\n\u0004demo");

describe.skipIf(process.platform !== "linux")("a message that is small only because it is compressed", () => {
  const zeros = Buffer.alloc(256 * MIB);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 24 };
  const bombs = { br: brotliCompressSync(zeros, { params }), gzip: gzipSync(zeros) };

  test("is small", () => {
    expect(bombs.br.length).toBeLessThan(1024);
    expect(bombs.gzip.length).toBeLessThan(MIB);
  });

  test.each(["br", "gzip"] as const)("is rejected with %s, without decompressing it", async (encoding) => {
    const before = resetPeak();
    const bomb = bombs[encoding];
    const byConnect = await rejection(bomb, { "content-encoding": encoding });
    expect(byConnect).toMatchObject({ status: 429, code: "resource_exhausted" });
    expect(await grpc(1, bomb, { "grpc-encoding": encoding })).toMatchObject({ status: "8" });
    expect(peak() - before).toBeLessThan(64 * MIB);
  });

  test("needs little memory even if many such messages arrive", async () => {
    const before = resetPeak();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        rejection(bombs.br, { "content-encoding": "br", "connect-timeout-ms": "80000" }),
      ),
    );
    expect(new Set(answers.map((answer) => (answer as { status: number }).status))).toEqual(new Set([429]));
    // If the messages were decompressed, they would need three times as much. The limit allows for
    // uncollected garbage.
    expect(peak() - before).toBeLessThan(224 * MIB);
  });

  /** Resets the peak memory of the process to the current value, and returns the value in bytes. */
  function resetPeak(): number {
    writeFileSync(`/proc/${gateway.process.pid}/clear_refs`, "5");
    return peak();
  }

  function peak(): number {
    const status = readFileSync(`/proc/${gateway.process.pid}/status`, "utf8");
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }
});
