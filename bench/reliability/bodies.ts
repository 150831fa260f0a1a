import http2 from "node:http2";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { call, calls, PAGE } from "./call.ts";
import { longestTurnDuring } from "./control.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream, withHeap } from "./world.ts";

const MB = 1 << 20;

/** Node's default heap, and two small heaps that unlimited bodies would fill. */
const HEAPS = [undefined, 256, 128] as const;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

function packed(status: number, coding: "gzip" | "zstd", json: string, type = "application/json"): Answer {
  const body = coding === "gzip" ? gzipSync(json) : zstdCompressSync(json);
  return { status, headers: { "content-type": type, "content-encoding": coding }, body };
}

function plain(status: number, json: string): Answer {
  return { status, headers: { "content-type": "application/json" }, body: Buffer.from(json) };
}

const objects = `{"errors":[${"{},".repeat(5_000_000)}{}]}`;
const problem = `{"detail":"x","errors":[${"{},".repeat(4_000_000)}{}]}`;

/** Error bodies that cost far more than their size suggests. */
const ERRORS: Readonly<Record<string, Answer>> = {
  "five million objects in gzip": packed(500, "gzip", objects),
  "five million objects in zstd": packed(404, "zstd", objects),
  "a problem with four million errors": packed(422, "gzip", problem, "application/problem+json"),
  "40,000 numbers with a large exponent": plain(503, `{"n":[${"1e999,".repeat(40_000)}1]}`),
  "arrays in arrays, 100,000 deep": plain(400, "[".repeat(100_000) + "]".repeat(100_000)),
};

const emptyFrame = zstdCompressSync(Buffer.alloc(0));
const skippable = Buffer.from("502a4d1800000000", "hex");
const member = gzipSync(Buffer.alloc(0));
const repeated = (frame: Uint8Array, count: number) => Buffer.concat(Array<Uint8Array>(count).fill(frame));

/** Compressed bodies with many frames. */
const FRAMES: ReadonlyArray<readonly [name: string, coding: string, body: Buffer]> = [
  ["20,000 empty frames of zstd", "zstd", repeated(emptyFrame, 20_000)],
  ["20,000 skippable frames of zstd", "zstd", repeated(skippable, 20_000)],
  ["20,000 empty members of gzip", "gzip", repeated(member, 20_000)],
];

/**
 * Measures bodies that are crafted to be expensive: errors, compressed frames, and the messages of an upload.
 */
export async function measureBodies(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const heapMb of HEAPS) figures.push(...(await errors(heapMb)));
  figures.push(...(await frames()), await upload());
  return figures;
}

async function errors(heapMb: number | undefined): Promise<Figure[]> {
  let answer: Answer = plain(200, PAGE);
  await using upstream = await startUpstream((_, outgoing) => {
    outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const options = { retry: false, breaker: false } as const;
  const heap = heapMb === undefined ? {} : { heapMb };
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url, options, ...heap });
  const figures: Figure[] = [];
  for (const [what, hostile] of Object.entries(ERRORS)) {
    answer = hostile;
    const name = withHeap(`20 errors of ${what}`, heapMb);
    figures.push(await longestTurnDuring(name, gateway, () => calls(20, 4, () => call(gateway.port))));
  }
  return figures;
}

/** Measures the processor time of a response and of a request with many compressed frames. */
async function frames(): Promise<Figure[]> {
  let hostile: readonly [coding: string, body: Buffer] | undefined;
  await using upstream = await startUpstream((_, outgoing) => {
    if (hostile === undefined) return sendJson(outgoing, 200, PAGE);
    outgoing.writeHead(200, { "content-encoding": hostile[0] }).end(hostile[1]);
  });
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url });
  const { port } = gateway;
  const timeOf = async (act: () => Promise<unknown>) => {
    for (let count = 0; count < 20; count++) await act();
    const before = await gateway.cpuMs();
    for (let count = 0; count < 10; count++) await act();
    return ((await gateway.cpuMs()) - before) / 10;
  };
  const figures: Figure[] = [];
  const bound = { atMost: 10 };
  const page = await timeOf(() => call(port));
  for (const [what, coding, body] of FRAMES) {
    hostile = [coding, body];
    const value = await timeOf(() => call(port));
    const name = `processor time for a response of ${what}`;
    figures.push({ name, unit: "ms", value, bound, beside: { "a usual one": page } });
  }
  const headers = { "content-encoding": "zstd" };
  const value = await timeOf(() => call(port, { headers, body: repeated(emptyFrame, 900) }));
  figures.push({
    name: "processor time for a request of 900 empty frames of zstd",
    unit: "ms",
    value,
    bound,
  });
  return figures;
}

const UPLOADED = 100_000;
const UPLOAD = "/blog.v1.PostService/UploadLegacyVideo";
/** The first message of an upload, with the blog `a`. */
const FIRST = Buffer.from([0, 0, 0, 0, 3, 0x0a, 1, 0x61]);
/** A message with two bytes of the video. */
const MESSAGE = Buffer.from([0, 0, 0, 0, 5, 0xfa, 3, 2, 1, 1]);

/** Returns the processor time of a minimal message of an upload. */
async function upload(): Promise<Figure> {
  const created = '{"meta":{"status":201,"msg":"Created"},"response":{"id_string":"1"}}';
  await using upstream = await startUpstream((request, outgoing) => {
    request.on("end", () => sendJson(outgoing, 201, created));
  });
  const options = { credentials: { oauth2: { accessToken: "bench" } } } as const;
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url, options });
  const body = Buffer.concat([FIRST, repeated(MESSAGE, UPLOADED)]);
  await send(gateway.port, body);
  const before = await gateway.cpuMs();
  await send(gateway.port, body);
  const value = (((await gateway.cpuMs()) - before) * 1000) / UPLOADED;
  return {
    name: "processor time for a small message of an upload",
    unit: "us",
    value,
    bound: { atMost: 20 },
  };
}

/** Sends a stream as gRPC; rejects unless the call succeeds. */
async function send(port: number, body: Uint8Array): Promise<void> {
  const session = http2.connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: MB } });
  try {
    await new Promise<void>((resolve, reject) => {
      session.on("error", reject);
      const headers = {
        ":method": "POST",
        ":path": UPLOAD,
        "content-type": "application/grpc",
        te: "trailers",
      };
      const stream = session.request(headers);
      const check = (found: http2.IncomingHttpHeaders) => {
        const status = found["grpc-status"];
        if (status === "0") resolve();
        if (status !== undefined) reject(new Error(`an upload got ${status}: ${found["grpc-message"]}`));
      };
      stream.on("response", check).on("trailers", check).on("error", reject).resume();
      stream.end(body);
    });
  } finally {
    session.close();
  }
}
