/**
 * Measures how much longer the codec takes for a page whose values have everyday spellings that differ from
 * the declaration, and for rules that are rarer than the usual ones.
 */

import { pool } from "../codec/src/buffers/pool.ts";
import { writePayload } from "../codec/src/decode/payload.ts";
import { ProtoWriter } from "../codec/src/decode/proto-writer.ts";
import { decode } from "../codec/src/decode-bytes.ts";
import { parseJson, parseJsonVerbatim } from "../codec/src/json/parse-json.ts";
import type { Entry, FieldEntry } from "../codec/src/table/message-table.ts";
import { type MessageTable, table } from "../codec/src/table/message-table.ts";
import { type Estimate, estimate, pairedRatios } from "./statistics.ts";

/** The processor time for a page with one spelling, divided by the time for the clean page. */
export interface DirtyFigures {
  readonly spelling: string;
  /** The scanner, which leaves some bodies or values to the JavaScript decoder. */
  readonly codec: Estimate;
  /** The JavaScript decoder alone, compared with the codec on the clean page. */
  readonly decoder: Estimate;
}

interface Spelling {
  readonly name: string;
  /** Changes the JSON of one item of the page. */
  readonly item?: (json: string) => string;
  /** The field in place of `updated`, with the value of each item. */
  readonly updated?: readonly [kind: FieldEntry[1], json: string];
  readonly collects?: boolean;
}

const ITEMS = 20;
const TEXT = '<p>The quick brown fox — «jumps» over the "lazy" dog &amp; runs away.</p>\n'.repeat(12);
const ROUNDS = 31;
const WARM_UP_ROUNDS = 8;
const PAGES_PER_TURN = 12;

const Author = table("bench.Author", () => [
  [1, "string", "name"],
  [2, "string", "url"],
  [3, "bool", "is_active"],
]);

function pageTable({
  updated: [kind] = [{ time: "iso8601" }, ""],
  collects = false,
}: Spelling): MessageTable {
  const collector: Entry[] = collects ? [{ unknown: 15, struct: true }] : [];
  const item = table("bench.Item", () => [
    [1, "int64", "id"],
    [2, "string", "title"],
    [3, "string", "body"],
    [4, { list: "string" }, "tags"],
    [5, "bool", "is_open"],
    [6, "bool", "is_pinned"],
    [7, "int32", "count"],
    [8, "int64", "size"],
    [9, "double", "score"],
    [10, { time: "seconds" }, "created"],
    [11, kind, "updated"],
    [12, Author, "author"],
    [13, "string", "url"],
    [14, "string", "state"],
    ...collector,
  ]);
  return table("bench.Page", () => [
    [1, { list: item }, "items"],
    [2, "int32", "total"],
  ]);
}

const replaced = (from: RegExp, to: string) => (json: string) => json.replaceAll(from, to);

const SPELLINGS: readonly Spelling[] = [
  { name: "clean" },
  { name: "booleans as 0 and 1", item: replaced(/"(is_\w+)":true/g, '"$1":1') },
  { name: "booleans as text", item: replaced(/"(is_\w+)":true/g, '"$1":"true"') },
  { name: "integers as text", item: replaced(/"(count|size)":(\d+)/g, '"$1":"$2"') },
  { name: "doubles as text", item: replaced(/"(score)":([\d.]+)/g, '"$1":"$2"') },
  { name: "integers as 1.0", item: replaced(/"(count|size)":(\d+)/g, '"$1":$2.0') },
  { name: "integers as 1e3", item: replaced(/"(count|size)":(\d+)/g, '"$1":$2e3') },
  { name: "numbers as strings", item: replaced(/"state":"(\d)"/g, '"state":$1') },
  { name: "text for an integer", item: replaced(/"(count)":(\d+)/g, '"$1":"many"') },
  { name: "an array for an object", item: replaced(/"author":\{[^}]*\}/g, '"author":[]') },
  { name: "false for text", item: replaced(/"url":"[^"]*"/g, '"url":false') },
  { name: "duplicate keys", item: replaced(/"state":/g, '"state":"0","state":') },
  { name: "escaped keys", item: replaced(/"is_(\w+)":/g, '"is\\u005f$1":') },
  { name: "unknown keys", item: replaced(/"state":/g, '"extra":1,"other":"x","state":') },
  { name: "unknown keys as a Struct", item: replaced(/"state":/g, '"extra":1,"other":"x","state":'), collects: true },
  { name: "times by a pattern", updated: [{ time: { pattern: "YYYY-MM-DD HH:mm:ss" } }, '"2025-11-01 11:00:00"'] },
  { name: "HTTP dates", updated: [{ time: "http_date" }, '"Sat, 01 Nov 2025 11:00:00 GMT"'] },
  { name: "durations", updated: ["duration", '"3.5s"'] },
  { name: "durations by a rule", updated: [{ duration: "iso8601" }, '"PT1H30M"'] },
]; // biome-ignore format: a table

function pageOf({
  item = (json) => json,
  updated: [, updated] = ["string", '"2025-11-01T11:00:00Z"'],
}: Spelling): Buffer {
  const author = { name: "demo", url: "https://demo.blog.example/", is_active: true };
  const items = Array.from({ length: ITEMS }, (_, index) => {
    const json = JSON.stringify({
      id: 735_000_000_000 + index,
      title: `Post number ${index}`,
      body: TEXT.slice(0, 760 + index),
      tags: ["seed", "demo", "Café au lait"],
      is_open: true,
      is_pinned: true,
      count: 17 * index,
      size: 1_024 + index,
      score: 1.5,
      created: 1_761_994_800 - 3600 * index,
      updated: "UPDATED",
      author,
      url: `https://demo.blog.example/post/${index}`,
      state: "1",
    });
    return item(json.replace('"UPDATED"', updated));
  });
  return Buffer.from(`{"items":[${items}],"total":53}`);
}

type Read = () => Uint8Array<ArrayBuffer>;

const writer = new ProtoWriter();

function byDecoder(message: MessageTable, body: Buffer): Uint8Array<ArrayBuffer> {
  const text = body.toString();
  const json = parseJson(text);
  writer.reset();
  writePayload(writer, json, message);
  if (writer.inexact || writer.keptNumbers) {
    writer.reset(true);
    writePayload(writer, parseJsonVerbatim(text) ?? json, message);
  }
  writer.found();
  return writer.finish();
}

/**
 * Measures all spellings, each in turn with the clean page.
 *
 * @throws Error if the codec and the decoder read different messages
 */
export async function measureDirty(): Promise<DirtyFigures[]> {
  const [clean, ...others] = SPELLINGS.map((spelling) => {
    const message = pageTable(spelling);
    const body = pageOf(spelling);
    const codec: Read = () => decode(message, body).bytes;
    const decoder: Read = () => byDecoder(message, body);
    if (!Buffer.from(codec()).equals(decoder())) {
      throw new Error(`dirty pages, ${spelling.name}: two messages`);
    }
    return { spelling: spelling.name, codec, decoder };
  });
  if (clean === undefined) return [];
  const figures: DirtyFigures[] = [];
  for (const { spelling, codec, decoder } of [clean, ...others]) {
    figures.push({
      spelling,
      codec: await ratio(codec, clean.codec),
      decoder: await ratio(decoder, clean.codec),
    });
  }
  return figures;
}

async function ratio(read: Read, clean: Read): Promise<Estimate> {
  const measure = (rounds: number) =>
    pairedRatios(
      () => timeOf(clean),
      () => timeOf(read),
      rounds,
    );
  await measure(WARM_UP_ROUNDS);
  return estimate(await measure(ROUNDS));
}

/** Returns the processor time of some pages in microseconds, including garbage collection. */
function timeOf(read: Read): number {
  const start = process.cpuUsage();
  for (let count = 0; count < PAGES_PER_TURN; count++) pool.release(read());
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
