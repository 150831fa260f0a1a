import { brotliCompressSync, gzipSync } from "node:zlib";
import { call, calls, PAGE } from "./call.ts";
import { CONTROL_MS, control, slowestBeside } from "./control.ts";
import type { Figure } from "./figure.ts";
import { HEAPS, Subject, sendJson, startUpstream, withHeap } from "./world.ts";

const CREATE_POST = "/blog.v1.PostService/CreatePost";
const MB = 1 << 20;

/** As much of it as the limits of bytes allow. */
function filled(start: string, unit: string, end: string, size: number): string {
  return start + unit.repeat((size - start.length - end.length) / unit.length).replace(/,$/, "") + end;
}

const request = (start: string, unit: string, end: string) => filled(start, unit, end, 4 * MB);

/** What clients send to have a gateway work, none of it beyond its limits of bytes. */
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

/** What upstreams respond likewise. */
const RESPONSES: Readonly<Record<string, string>> = {
  "five million empty objects": response('{"response":{"posts":[', "{},", "]}}"),
  "five million empty arrays below an unknown key": response('{"response":{"x":[', "[],", "]}}"),
  "a number of 15 million digits": response('{"response":{"total_posts":', "1", "}}"),
  "two million numbers with a large exponent": response('{"response":{"posts":[', "1e999,", "1]}}"),
  "a text of 15 MB": response('{"response":{"posts":[{"slug":"', "a", '"}]}}'),
  "as many empty objects as may be": `{"response":{"posts":[${"{},".repeat(99_000)}{}]}}`,
  "as many integers in quotes as may be": `{"response":{"posts":[{"id":1,"tags":[${'"1",'.repeat(199_000)}"1"]}]}}`,
};

/** How long calls of others take at most, while one client or upstream sends what is costly to read. */
export async function measureCosts(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const heapMb of HEAPS) {
    const measured = await costs(heapMb);
    figures.push(...measured.map((figure) => ({ ...figure, name: withHeap(figure.name, heapMb) })));
  }
  return figures;
}

async function costs(heapMb: number | undefined): Promise<Figure[]> {
  const flags = heapMb === undefined ? {} : { heapMb };
  let hostile = PAGE;
  await using upstream = await startUpstream((_, outgoing) => sendJson(outgoing, 200, PAGE));
  await using attacked = await startUpstream((_, outgoing) => sendJson(outgoing, 200, hostile));
  await using gateway = await Subject.start("reliable-gateway", { upstream: upstream.url, ...flags });
  await using reader = await Subject.start("reliable-gateway", { upstream: attacked.url, ...flags });
  const figures: Figure[] = [];
  for (const [name, { type, body }] of Object.entries(REQUESTS)) {
    const headers = { "content-type": `application/${type}`, "content-encoding": "gzip" };
    const send = () => call(gateway.port, { path: CREATE_POST, body: gzipSync(body), headers });
    figures.push(await slowest(`a client that sends ${name}`, gateway.port, send));
  }
  for (const [name, body] of Object.entries(RESPONSES)) {
    hostile = body;
    figures.push(await slowest(`an upstream that sends ${name}`, reader.port, () => call(reader.port)));
  }
  figures.push(await crowd(gateway.port));
  return figures;
}

async function slowest(who: string, port: number, attack: () => Promise<unknown>): Promise<Figure> {
  // both are compiled first
  await control(port);
  await attack();
  const value = await slowestBeside(port, async () => {
    for (let count = 0; count < 5; count++) await attack();
  });
  return { name: `slowest call beside ${who}`, unit: "ms", value, bound: { atMost: CONTROL_MS } };
}

/** A thousand small messages that become large, from one address: of the caller's own, most are refused at once. */
async function crowd(port: number): Promise<Figure> {
  const body = brotliCompressSync(Buffer.alloc(64 * MB, " "));
  const headers = { "content-encoding": "br" };
  const bombs = calls(1_000, 1_000, () => call(port, { body, headers }));
  // once they are on their way
  await control(port);
  const value = await control(port);
  await bombs;
  return { name: "a call beside 1,000 compressed bombs", unit: "ms", value, bound: { atMost: CONTROL_MS } };
}
