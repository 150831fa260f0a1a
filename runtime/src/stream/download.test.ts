import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { MethodRules } from "../adapter/rules.ts";
import type { CallReport, RestOptions } from "../call/options.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { createRest, type Rest, restRoutes } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { httpUpstream, rawUpstream, respondingWith, type TestServer } from "../testing/servers.ts";
import { type Chunk, downloadAdapter, StreamService, streamService } from "../testing/stream-service.ts";
import type { UpstreamOptions } from "../upstream/options.ts";

const OPEN: Array<{ close(): Promise<void> }> = [];
const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
  for (const rest of OPEN.splice(0)) await rest.close();
});

interface Setup {
  readonly rules?: Partial<MethodRules>;
  readonly upstream?: UpstreamOptions;
  readonly options?: Partial<RestOptions>;
}

async function restTo(server: Promise<TestServer>, { rules, upstream, options }: Setup = {}): Promise<Rest> {
  const started = await server;
  SERVERS.push(started);
  const rest = createRest({
    adapters: [streamService("download", downloadAdapter(rules))],
    upstreams: { things: { baseUrl: started.url, ...upstream } },
    ...options,
  });
  OPEN.push(rest);
  return rest;
}

function chunks(rest: Rest, signal?: AbortSignal): AsyncIterator<Chunk> {
  return createClient(StreamService, rest.transport)
    .download({}, signal === undefined ? {} : { signal })
    [Symbol.asyncIterator]();
}

async function all(rest: Rest): Promise<Chunk[]> {
  const found: Chunk[] = [];
  for await (const chunk of createClient(StreamService, rest.transport).download({})) found.push(chunk);
  return found;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function whole(found: readonly Chunk[]): Buffer {
  return Buffer.concat(found.map(({ data }) => data));
}

const streaming = (listener: RequestListener) => httpUpstream(listener);

test("a download delivers the body as it arrives, and its first message contains the fields of the head", async () => {
  let response: ServerResponse | undefined;
  const rest = await restTo(
    streaming((_request, started) => {
      response = started;
      started.writeHead(200, { "content-type": "image/png" }).write("one");
    }),
  );
  const body = chunks(rest);
  expect((await body.next()).value).toMatchObject({
    data: utf8("one"),
    type: "image/png",
    status: 200,
  });
  const second = body.next();
  response?.end("two");
  expect((await second).value).toMatchObject({ data: utf8("two"), type: "", status: 0 });
  expect((await body.next()).done).toBe(true);
});

test("a download of an empty body is a single message", async () => {
  const [only, ...others] = await all(await restTo(respondingWith(200, { "content-type": "image/gif" })));
  expect(only).toMatchObject({ type: "image/gif", status: 200 });
  expect(only?.data).toHaveLength(0);
  expect(others).toEqual([]);
});

test.each([
  ["", (bytes: Buffer) => bytes],
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["identity, gzip", gzipSync],
  ["gzip, gzip", (bytes: Buffer) => gzipSync(gzipSync(bytes))],
])("a download (%j) is decompressed, in chunks of at most 64 KiB", async (encoding, compress) => {
  const bytes = Buffer.concat([randomBytes(300_000), Buffer.alloc(700_000, "a")]);
  const headers: Record<string, string> = encoding === "" ? {} : { "content-encoding": encoding };
  const found = await all(await restTo(respondingWith(200, headers, compress(bytes))));
  expect(whole(found).equals(bytes)).toBe(true);
  expect(Math.max(...found.map(({ data }) => data.length))).toBeLessThanOrEqual(65_536);
});

test("a download is limited by maxDownloadBytes, not by maxResponseBytes", async () => {
  const bytes = randomBytes(100_000);
  const upstream = { maxResponseBytes: 1000 };
  expect(whole(await all(await restTo(respondingWith(200, {}, bytes), { upstream })))).toHaveLength(100_000);
  for (const body of [bytes, gzipSync(bytes)]) {
    const headers: Record<string, string> = body === bytes ? {} : { "content-encoding": "gzip" };
    const rest = await restTo(respondingWith(200, headers, body), {
      upstream: { maxDownloadBytes: 70_000 },
    });
    const error = await failureOf(all(rest));
    expect(error.rawMessage).toBe("upstream things: the response body exceeds 70000 bytes");
    expect([error.code, reasonOf(error)]).toEqual([Code.ResourceExhausted, "UPSTREAM_BODY_TOO_LARGE"]);
  }
});

test("a download reads the body on demand", async () => {
  const total = 64 << 20;
  let written = 0;
  const rest = await restTo(
    streaming(async (_request, response) => {
      for (; written < total; written += 65_536) {
        if (!response.write(Buffer.alloc(65_536))) await once(response, "drain");
      }
      response.end();
    }),
  );
  let read = 0;
  let ahead = 0;
  for await (const { data } of createClient(StreamService, rest.transport).download({})) {
    read += data.length;
    ahead = Math.max(ahead, written - read);
    // gives the upstream time to send data ahead
    await setImmediate();
  }
  expect(read).toBe(total);
  expect(ahead).toBeLessThan(16 << 20);
});

test("a download with an error status throws before the first message", async () => {
  const body = gzipSync(JSON.stringify({ message: "no such file" }));
  const rest = await restTo(respondingWith(404, { "content-encoding": "gzip" }, body));
  const error = await failureOf(all(rest));
  expect(error.rawMessage).toBe("upstream things responded with 404 Not Found: no such file");
  expect(error.code).toBe(Code.NotFound);
});

test("a download with an error status reads only the beginning of the body", async () => {
  const endless = streaming((_request, response) => {
    const more = () => response.write("x".repeat(65_536), more);
    response.writeHead(500).on("close", () => response.destroy());
    more();
  });
  const server = await endless;
  const closed = server.socketClosed();
  const error = await failureOf(all(await restTo(endless)));
  expect(error.rawMessage).toBe("upstream things responded with 500 Internal Server Error");
  await closed;
});

test.each([
  [
    "is truncated",
    () => rawUpstream((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc")),
    "upstream things: the response body is incomplete",
    Code.Unavailable,
  ],
  [
    "is truncated within the compressed data",
    () => respondingWith(200, { "content-encoding": "gzip" }, gzipSync(randomBytes(1000)).subarray(0, 500)),
    "upstream things: the response body is incomplete",
    Code.Unavailable,
  ],
  [
    "does not have the declared encoding",
    () => respondingWith(200, { "content-encoding": "br" }, "nonsense, nonsense"),
    "upstream things: expected a body in gzip, deflate, br or zstd, got br that is corrupt",
    Code.Internal,
  ],
  [
    "has an unknown encoding",
    () => respondingWith(200, { "content-encoding": "compress" }, "x"),
    "upstream things: expected a body in gzip, deflate, br or zstd, got compress",
    Code.Internal,
  ],
  [
    "is a part that was not requested",
    () => respondingWith(206, { "content-range": "bytes 0-1/2" }, "x"),
    "upstream things: partial content (206) in response to a request without a range",
    Code.Internal,
  ],
  [
    "redirects",
    () => respondingWith(302, { location: "http://evil.test" }),
    "upstream things: unexpected redirect (302); redirects are not followed",
    Code.FailedPrecondition,
  ],
])("a download fails if it %s", async (_why, server, text, code) => {
  const error = await failureOf(all(await restTo(server())));
  expect([error.rawMessage, error.code]).toEqual([text, code]);
});

test("a download fails if the upstream pauses too long, and does not fail if its reader pauses", async () => {
  const rest = await restTo(
    streaming((_request, response) => {
      response.writeHead(200, { "content-length": "10" }).write("a");
    }),
    { upstream: { bodyTimeoutMs: 50 } },
  );
  const body = chunks(rest);
  await body.next();
  const error = await failureOf(body.next());
  expect(error.rawMessage).toBe("upstream things: timed out after 50 ms waiting for more of the body");
});

test("the connection is closed when the reader stops reading a download early", async () => {
  const server = streaming((_request, response) => {
    response.writeHead(200).write("a");
  });
  const calls: CallReport[] = [];
  const rest = await restTo(server, { options: { onCall: (report) => calls.push(report) } });
  const { download } = StreamService.method;
  const closed = (await server).socketClosed();
  const input = (async function* () {
    yield {};
  })();
  const response = await rest.transport.stream(download, undefined, undefined, undefined, input as never);
  for await (const { status } of response.message) {
    expect(status).toBe(200);
    break;
  }
  await closed;
});

test("routes serve a download, and end its request when the client disconnects", async () => {
  const server = streaming((_request, response) => {
    response.writeHead(200, { "x-request-id": "r1" }).write("a");
  });
  const client = createClient(StreamService, createRouterTransport(restRoutes(await restTo(server))));
  const controller = new AbortController();
  let headers = new Headers();
  const onHeader = (header: Headers) => {
    headers = header;
  };
  const body = client.download({}, { signal: controller.signal, onHeader })[Symbol.asyncIterator]();
  expect((await body.next()).value?.data).toEqual(utf8("a"));
  expect(headers.get("x-request-id")).toBe("r1");
  const closed = (await server).socketClosed();
  controller.abort();
  expect((await failureOf(body.next())).code).toBe(Code.Canceled);
  await closed;
});
