import { brotliCompressSync, gzipSync } from "node:zlib";
import { call, calls, PAGE } from "./call.ts";
import { longestTurnDuring } from "./control.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

const CREATE_POST = "/blog.v1.PostService/CreatePost";
const MB = 1 << 20;

/** The heap of a small machine in MB; small heaps are garbage-collected more often. */
const HEAP_MB = 512;

/** Returns a text of this size that repeats the unit. */
function filled(start: string, unit: string, end: string, size: number): string {
  return start + unit.repeat((size - start.length - end.length) / unit.length).replace(/,$/, "") + end;
}

const request = (start: string, unit: string, end: string) => filled(start, unit, end, 4 * MB);

/** Requests that are expensive for the gateway, all within its byte limits. */
const REQUESTS: Readonly<
  Record<string, { readonly type: "json" | "proto"; readonly body: string | Buffer }>
> = {
  "two million empty messages": { type: "proto", body: Buffer.alloc(4 * MB, Uint8Array.of(0x12, 0)) },
  "two million unknown fields": { type: "proto", body: Buffer.alloc(4 * MB, Uint8Array.of(0x78, 0)) },
  "a million empty texts": { type: "proto", body: Buffer.alloc(3 * MB, Uint8Array.of(0xa2, 1, 0)) },
  "a million empty objects": { type: "json", body: request('{"content":[', "{},", "]}") },
  "a number of four million digits": { type: "json", body: request('{"limit":', "1", "}") },
  "an integer of four million digits in quotes": { type: "json", body: request('{"limit":"', "1", '"}') },
  "a text of four megabytes": { type: "json", body: request('{"slug":"', "a", '"}') },
  "the name of a type of four megabytes": { type: "json", body: request('{"@type":"', "a", '"}') },
  "700,000 numbers with a large exponent": {
    type: "json",
    body: request('{"limit":9007199254740993,"x":[', "1e999,", "1]}"),
  },
  "four megabytes of spaces": { type: "json", body: request("{", " ", "}") },
  "as many messages as may be": {
    type: "json",
    body: `{"blogIdentifier":"a","content":[${"{},".repeat(9_980)}{}]}`,
  },
  "as many tags as may be": {
    type: "json",
    body: `{"blogIdentifier":"a","tags":[${'"a",'.repeat(99_900)}"a"]}`,
  },
};

const response = (start: string, unit: string, end: string, size = 15 * MB) => filled(start, unit, end, size);

/** Upstream responses that are expensive in the same way. */
const RESPONSES: Readonly<Record<string, string>> = {
  "five million empty objects": response('{"response":{"posts":[', "{},", "]}}"),
  "five million empty arrays below an unknown key": response('{"response":{"x":[', "[],", "]}}"),
  "a number of 15 million digits": response('{"response":{"total_posts":', "1", "}}"),
  "two million numbers with a large exponent": response('{"response":{"posts":[', "1e999,", "1]}}"),
  "a text of 15 MB": response('{"response":{"posts":[{"slug":"', "a", '"}]}}'),
  "as many empty objects as may be": `{"response":{"posts":[${"{},".repeat(99_000)}{}]}}`,
  "as many integers in quotes as may be": `{"response":{"posts":[{"id":1,"tags":[${'"1",'.repeat(199_000)}"1"]}]}}`,
};

/** Contents of arrays and objects that are most expensive to parse, decode or print within the limits. */
const SHAPES: Readonly<Record<string, () => string>> = {
  "objects with the same fifty keys in ever new orders": () => list(12_000, (index) => shuffled(index)),
  "790,000 fractions": () => list(790_000, () => "1.5"),
  "1.5 million nulls": () => list(1_500_000, () => "null"),
  "15,000 numbers of 308 digits": () => list(15_000, () => "1e308"),
  "90,000 integers beyond 2^53": () => list(90_000, () => "123456789012345678"),
  "190,000 empty objects": () => list(190_000, () => "{}"),
  "arrays in arrays, 85 deep": () => list(5_000, () => "[".repeat(85) + "]".repeat(85)),
  "an object of 110,000 keys": () => `{${list(110_000, (index) => `"k${index}":1`).slice(1, -1)}}`,
  "a text of 15 MB": () => `"${"a".repeat(15 * MB)}"`,
  "a text of seven million escapes": () => `"${'\\"'.repeat(7 * MB)}"`,
  "a number of 15 million digits": () => "1".repeat(15 * MB),
};

/** The keys of a post that receive these contents. The post's type determines how they are decoded. */
const RECEIVERS: Readonly<Record<string, string>> = {
  "a repeated message": "trail",
  "a list of texts": "tags",
  "a text": "slug",
  "an unknown key": "zzz",
};

const FIFTY = Array.from({ length: 50 }, (_, index) => `"key_number_${index}":1`);

function list(count: number, item: (index: number) => string): string {
  return `[${Array.from({ length: count }, (_, index) => item(index)).join(",")}]`;
}

/** Returns an object with an unusual order of keys, the same in each call. */
function shuffled(seed: number): string {
  let state = seed + 1;
  const random = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
    return (state ^ (state >>> 13)) >>> 0;
  };
  const ranked = FIFTY.map((entry) => [random(), entry] as const).toSorted(([a], [b]) => a - b);
  return `{${ranked.map(([, entry]) => entry).join(",")}}`;
}

/** Returns a page of 6,400 posts, 7.6 MB. */
function largePage(): string {
  const post = (index: number) =>
    JSON.stringify({
      ...{ type: "text", id_string: String(1_000_000 + index), blog_name: "demo", state: "published" },
      ...{
        slug: `post-${index}`,
        tags: ["seed", "demo"],
        note_count: index,
        body: "A page of text. ".repeat(64),
      },
    });
  return `{"response":{"posts":${list(6_400, post)}}}`;
}

/** Measures the longest event-loop turn while one client or upstream sends expensive input. */
export async function measureCosts(): Promise<Figure[]> {
  let hostile = PAGE;
  await using upstream = await startUpstream((_, outgoing) => sendJson(outgoing, 200, PAGE));
  await using attacked = await startUpstream((_, outgoing) => sendJson(outgoing, 200, hostile));
  const heap = { heapMb: HEAP_MB };
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url, ...heap });
  await using reader = await Subject.start("reliable-gateway", { upstream: attacked.url, ...heap });
  const figures: Figure[] = [];
  for (const [name, { type, body }] of Object.entries(REQUESTS)) {
    const headers = { "content-type": `application/${type}`, "content-encoding": "gzip" };
    const packed = gzipSync(body);
    const send = () => call(gateway.port, { path: CREATE_POST, body: packed, headers });
    figures.push(await longest(`a request with ${name}`, gateway, send));
  }
  for (const [name, body] of Object.entries(RESPONSES)) {
    hostile = body;
    figures.push(await longest(`a response with ${name}`, reader, () => call(reader.port)));
  }
  hostile = largePage();
  const asProto = { headers: { "content-type": "application/proto" }, body: Buffer.from("\n\u0001a") };
  for (const [codec, options] of [
    ["JSON", {}],
    ["protobuf", asProto],
  ] as const) {
    const read = () => call(reader.port, options);
    figures.push(await longest(`a page of 6,400 posts as ${codec}`, reader, read));
  }
  for (const [shape, make] of Object.entries(SHAPES)) {
    const value = make();
    for (const [receiver, key] of Object.entries(RECEIVERS)) {
      hostile = `{"response":{"posts":[{"type":"text","${key}":${value}}]}}`;
      figures.push(
        await longest(`a response with ${shape} for ${receiver}`, reader, () => call(reader.port)),
      );
    }
  }
  figures.push(await bombs(gateway));
  return figures;
}

/** Makes an attack twice, because the first run compiles the code. */
async function longest(name: string, subject: Subject, attack: () => Promise<unknown>): Promise<Figure> {
  await attack();
  return longestTurnDuring(name, subject, attack);
}

/**
 * Sends a thousand small messages that decompress to large ones, from one address. The client's limits reject
 * most of them immediately.
 */
async function bombs(gateway: Subject): Promise<Figure> {
  const body = brotliCompressSync(Buffer.alloc(64 * MB, " "));
  const headers = { "content-encoding": "br" };
  return longestTurnDuring("1,000 compressed bombs", gateway, () =>
    calls(1_000, 1_000, () => call(gateway.port, { body, headers })),
  );
}
