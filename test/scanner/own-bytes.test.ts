import { createServer } from "node:http";
import { type AddressInfo, connect as connectSocket } from "node:net";
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { startGateway } from "connect-rest-gateway";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";

/**
 * Sizes of a post's summary, in bytes. A page of 40 such posts is below or above the size of pooled buffers.
 */
const SIZES = [1, 40, 700, 3_000, 20_000];
const POSTS = 40;

/** Returns a page whose posts all contain the caller's name. */
function page(owner: string, size: number): Buffer {
  const posts = Array.from({ length: POSTS }, (_, id) => ({
    id,
    type: "text",
    summary: owner.padEnd(size, owner),
  }));
  return Buffer.from(JSON.stringify({ meta: { status: 200 }, response: { posts } }));
}

/** Sends the page that the blog name encodes as `owner--size--way`. */
const upstream = createServer((request, response) => {
  const name = decodeURIComponent(request.url?.split("/")[3] ?? "");
  const [owner = "", size = "1", way = "length"] = name.split("--");
  const bytes = page(owner, Number(size));
  response.setHeader("content-type", "application/json");
  if (way === "length") response.setHeader("content-length", bytes.length);
  const half = bytes.length >> 1;
  response.write(bytes.subarray(0, half));
  setImmediate(() => response.end(bytes.subarray(half)));
});

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  gateway = await startGateway({
    adapters: [PostServiceRest],
    upstreams: { blog: { bases: { api: `http://127.0.0.1:${port}` }, credentials: { apiKey: "key" } } },
    limits: { drainNoticeMs: 1 },
  });
});
afterAll(async () => {
  await gateway.close();
  upstream.close();
});

const TRANSPORTS = {
  proto: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true }),
  json: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "proto, not compressed": (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true, acceptCompression: [] }),
  "json, not compressed": (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: false, acceptCompression: [] }),
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "gRPC, not compressed": (baseUrl: string) => createGrpcTransport({ baseUrl, acceptCompression: [] }),
  "gRPC-Web, not compressed": (baseUrl: string) =>
    createGrpcWebTransport({ baseUrl, httpVersion: "1.1", acceptCompression: [] }),
};

const call = fc.record({
  by: fc.constantFrom(...Object.keys(TRANSPORTS), "slow reader", "client that leaves"),
  size: fc.constantFrom(...SIZES),
  way: fc.constantFrom("length", "chunks"),
});

/** Makes a call through a raw socket, which reads late or closes early. */
async function raw(blogIdentifier: string, leaves: boolean): Promise<string> {
  const body = JSON.stringify({ blogIdentifier });
  const head = `POST /blog.v1.PostService/ListPosts HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const socket = connectSocket(Number(new URL(gateway.url).port), "127.0.0.1");
  socket.pause();
  socket.write(head + body);
  await new Promise((resolve) => socket.once("readable", resolve));
  if (leaves) {
    socket.destroy();
    return "";
  }
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function check(by: string, owner: string, size: number, way: string): Promise<void> {
  const blogIdentifier = [owner, size, way].join("--");
  const expected = owner.padEnd(size, owner);
  if (by in TRANSPORTS) {
    const transport = TRANSPORTS[by as keyof typeof TRANSPORTS](gateway.url);
    const { posts } = await createClient(PostService, transport).listPosts({ blogIdentifier });
    expect(posts.map(({ summary }) => summary)).toEqual(Array(POSTS).fill(expected));
    return;
  }
  const text = await raw(blogIdentifier, by === "client that leaves");
  if (by !== "slow reader") return;
  const found = text.match(/"summary":"[^"]*"/g) ?? text.slice(0, 1000);
  expect(found).toEqual(Array(POSTS).fill(`"summary":"${expected}"`));
}

test("property: each of many concurrent callers gets only its own bytes over every protocol, even if others disconnect or read late", async () => {
  let calls = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 30, maxLength: 60 }), async (all) => {
      const work = all.map(({ by, size, way }) => check(by, `owner${calls++}.`, size, way));
      await Promise.all(work);
    }),
    { numRuns: 5 },
  );
});
