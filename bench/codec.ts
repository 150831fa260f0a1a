import { equals, fromBinary, fromJsonString, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { pool } from "../codec/src/buffers/pool.ts";
import { writePayload } from "../codec/src/decode/payload.ts";
import { ProtoWriter } from "../codec/src/decode/proto-writer.ts";
import { byProtobufEs } from "../codec/src/print/protobuf-es.ts";
import { WasmPrinter } from "../codec/src/print/wasm-printer.ts";
import { type Scanner, scanner } from "../codec/src/scan/scanner.ts";
import type { Envelope } from "../codec/src/scan/tables.ts";
import { atOnce } from "../codec/src/time/work.ts";
import { ListPostsResponseSchema } from "../gen/blog/v1/post_pb.ts";
import { ListPostsResponseTable } from "../gen/blog/v1/post_rest.ts";
import { readPage } from "./hand-written.ts";
import { PAGES } from "./pages.ts";
import { median } from "./statistics.ts";

/** The time that one method takes to convert an upstream's JSON to protobuf or ProtoJSON. */
export interface CodecFigures {
  /** The size label of the page. */
  readonly page: string;
  readonly name: string;
  /** Processor time. */
  readonly microseconds: number;
  /**
   * The time divided by the time of JSON.parse for the same page in the same batch. The median over all
   * batches.
   */
  readonly ratio: number;
}

type Work = (body: Buffer) => Uint8Array | undefined;
type Way = readonly [name: string, work: Work, format?: "protobuf" | "json"];
type Message = MessageShape<typeof ListPostsResponseSchema>;

const MEASURED = ["1 KB", "25 KB", "25 KB varied", "2.5 MB"];
/** The number of bytes that each method reads per batch. */
const BATCH_BYTES = 1_000_000;
const BATCHES = 60;
const WARM_UP_BATCHES = 20;

const writer = new ProtoWriter();

function byDecoder(body: Buffer): Uint8Array {
  const { response } = JSON.parse(body.toString());
  writer.reset();
  writePayload(writer, response, ListPostsResponseTable);
  return writer.finish();
}

function byScanner(scan: Scanner): Work {
  const meta: Envelope = { keys: new Map([["status", "status"]]), isOpen: true };
  const envelope: Envelope = {
    keys: new Map<string, Envelope | "payload">([
      ["response", "payload"],
      ["meta", meta],
    ]),
    isOpen: true,
  };
  const plan = scan.plan(ListPostsResponseTable, envelope);
  return (body) => {
    if (plan === undefined) return undefined;
    if (!scan.isLarge(body)) return scan.scan(body, plan);
    return atOnce(scan.scanInPieces(body, plan, true, Number.POSITIVE_INFINITY))?.bytes;
  };
}

/** Returns the decoding methods. The first, JSON.parse alone, is the reference and produces no message. */
function ways(): readonly Way[] {
  return [
    ["`JSON.parse` alone", (body) => void JSON.parse(body.toString())],
    [
      "JSON to protobuf by hand: `JSON.parse`, `fromJson`, `toBinary`",
      (body) => toBinary(ListPostsResponseSchema, readPage(body.toString())),
      "protobuf",
    ],
    ["JSON to protobuf by the decoder: `JSON.parse` and a table", byDecoder, "protobuf"],
    ...waysByWasm(),
  ];
}

function waysByWasm(): readonly Way[] {
  const scan = scanner();
  if (scan === undefined) return [];
  const machine = new WasmPrinter();
  const read = byScanner(scan);
  const printed = (body: Buffer, print: (bytes: Uint8Array) => Uint8Array | undefined) => {
    const bytes = read(body);
    const json = bytes && print(bytes);
    if (bytes !== undefined) pool.release(bytes);
    return json;
  };
  return [
    ["JSON to protobuf by the scanner, in WebAssembly", read, "protobuf"],
    [
      "JSON to JSON by `JSON.parse` and `JSON.stringify`",
      (body) => void Buffer.from(JSON.stringify(JSON.parse(body.toString()).response)),
    ],
    [
      "JSON to ProtoJSON by the scanner and protobuf-es",
      (body) => printed(body, (bytes) => byProtobufEs(ListPostsResponseSchema, bytes)),
      "json",
    ],
    [
      "JSON to ProtoJSON by the scanner and the printer, in WebAssembly",
      (body) => printed(body, (bytes) => machine.print(ListPostsResponseSchema, bytes, undefined)),
      "json",
    ],
  ];
}

/**
 * Measures all methods in alternating batches. Each method converts the bytes of a page to protobuf bytes or
 * to JSON.
 *
 * @throws Error if their messages differ
 */
export function measureCodec(): CodecFigures[] {
  const all = ways();
  return MEASURED.flatMap((page) => {
    const body = Buffer.from(PAGES.find(({ label }) => label === page)?.json ?? "");
    compare(page, all, body);
    return measure(page, all, body);
  });
}

function compare(page: string, all: readonly Way[], body: Buffer): void {
  const messages = all.flatMap(([name, work, format]) => {
    const bytes = work(body);
    if (format === undefined) return [];
    if (bytes === undefined) throw new Error(`codec, ${page}: nothing came of "${name}"`);
    return [messageOf(bytes, format)];
  });
  const [first] = messages;
  if (first === undefined || !messages.every((each) => equals(ListPostsResponseSchema, first, each))) {
    throw new Error(`codec, ${page}: expected the same message in all ways`);
  }
}

function messageOf(bytes: Uint8Array, format: "protobuf" | "json"): Message {
  return format === "protobuf"
    ? fromBinary(ListPostsResponseSchema, bytes)
    : fromJsonString(ListPostsResponseSchema, Buffer.from(bytes).toString());
}

function measure(page: string, all: readonly Way[], body: Buffer): CodecFigures[] {
  const count = Math.max(1, Math.round(BATCH_BYTES / body.length));
  const batches: number[][] = [];
  for (let batch = 0; batch < WARM_UP_BATCHES + BATCHES; batch++) {
    const times = all.map(([, work]) => timeOf(work, body, count));
    if (batch >= WARM_UP_BATCHES) batches.push(times);
  }
  return all.map(([name], way) => {
    const times = batches.map((batch) => batch[way] ?? Number.NaN);
    const ratios = batches.map((batch) => (batch[way] ?? Number.NaN) / (batch[0] ?? Number.NaN));
    return { page, name, microseconds: median(times), ratio: median(ratios) };
  });
}

/** Returns the processor time per run in microseconds, including garbage collection. */
function timeOf(work: Work, body: Buffer, count: number): number {
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const bytes = work(body);
    // The gateway also releases the bytes after it has sent them.
    if (bytes !== undefined) pool.release(bytes);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}
