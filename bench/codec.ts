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

/** How long one way from the bytes of an upstream's JSON to protobuf, or to ProtoJSON, takes. */
export interface CodecFigures {
  /** The size that the page stands for. */
  readonly page: string;
  readonly name: string;
  /** Of processor time. */
  readonly microseconds: number;
  /** Divided by a JSON.parse of the same page in the same batch; the median of all batches. */
  readonly ratio: number;
}

type Work = (body: Buffer) => Uint8Array | undefined;
type Way = readonly [name: string, work: Work, format?: "protobuf" | "json"];
type Message = MessageShape<typeof ListPostsResponseSchema>;

const MEASURED = ["1 KB", "25 KB", "25 KB varied", "2.5 MB"];
/** So many bytes are read in a batch of each way. */
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

/** The first is what the others are compared with. Those without a format make no message. */
function ways(): readonly Way[] {
  return [
    ["JSON.parse alone", (body) => void JSON.parse(body.toString())],
    [
      "by hand: JSON.parse, fromJson, toBinary",
      (body) => toBinary(ListPostsResponseSchema, readPage(body.toString())),
      "protobuf",
    ],
    ["table: JSON.parse, writer", byDecoder, "protobuf"],
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
    ["scanner: one pass, by WebAssembly", read, "protobuf"],
    [
      "to JSON: JSON.parse, JSON.stringify",
      (body) => void Buffer.from(JSON.stringify(JSON.parse(body.toString()).response)),
    ],
    [
      "to JSON: scanner, protobuf-es",
      (body) => printed(body, (bytes) => byProtobufEs(ListPostsResponseSchema, bytes)),
      "json",
    ],
    [
      "to JSON: scanner, printer by WebAssembly",
      (body) => printed(body, (bytes) => machine.print(ListPostsResponseSchema, bytes, undefined)),
      "json",
    ],
  ];
}

/**
 * Measures the ways from the bytes of pages to protobuf bytes and to JSON, in batches that take turns.
 *
 * @throws Error when they do not lead to the same message
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

/** Microseconds of processor time for one, that of the garbage collector included. */
function timeOf(work: Work, body: Buffer, count: number): number {
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const bytes = work(body);
    // as the gateway does once it has sent them
    if (bytes !== undefined) pool.release(bytes);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}
