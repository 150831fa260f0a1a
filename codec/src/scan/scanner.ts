import { isUtf8 } from "node:buffer";
import { pool } from "../buffers/pool.ts";
import { type FoundDifferences, NO_DIFFERENCES } from "../decode/difference.ts";
import type { Work } from "../time/work.ts";
import { HostReader } from "./host-reader.ts";
import { type PiecedMessage, scanInPieces, WINDOW_SIZES, type WindowSizes } from "./pieces.ts";
import { isReadablePayload, type Payload } from "./readable.ts";
import { differencesOf, keptReports } from "./reports.ts";
import { type Envelope, Tables } from "./tables.ts";
import { WasmInstance } from "./wasm.ts";
import { KEY_BYTES, windowFor } from "./window.ts";

/** The limit for table memory, more than any process should need. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
/**
 * The maximum cost of a byte of JSON, without and with numbers whose exponent has three digits; see
 * `checkJsonCost`.
 */
const MAX_COST_PER_BYTE = 8;
const MAX_COST_OF_NUMBERS = 62;
const SEED = Math.floor(Math.random() * 2 ** 31);

/** The type of a body, as the scanner's tables represent it. */
export interface ScanPlan {
  readonly root: number;
}

/** A page whose items have been read. Each item is a message in a separate buffer. */
export interface ScannedPage {
  readonly items: ReadonlyArray<Uint8Array<ArrayBuffer>>;
  /** The position of the list in the body, and the position of its last item, if any. */
  readonly start: number;
  readonly end: number;
  readonly lastItem: number;
}

/**
 * Converts UTF-8 JSON to protobuf in one pass, with WebAssembly. The JavaScript decoder handles unusual
 * bodies.
 */
export class Scanner {
  private readonly wasm = new WasmInstance();
  private readonly host = new HostReader(this.wasm);
  private readonly tables = new Tables(this.wasm, this.host);
  private readonly plans = new WeakMap<Payload, Map<string, ScanPlan>>();
  private found: FoundDifferences = NO_DIFFERENCES;
  private readonly sizes: WindowSizes;

  /** @param sizes the sizes of the pieces in which large bodies are read; set by tests */
  constructor(sizes: WindowSizes = WINDOW_SIZES) {
    this.sizes = sizes;
  }

  /**
   * Returns the plan for a payload and its envelope; undefined if the scanner cannot read the payload, or
   * when out of memory. The plan is created on the first call.
   */
  plan(payload: Payload, envelope: Envelope | "payload"): ScanPlan | undefined {
    const known = this.plans.get(payload) ?? new Map<string, ScanPlan>();
    this.plans.set(payload, known);
    const name = nameOf(envelope);
    const plan = known.get(name) ?? this.newPlan(payload, envelope);
    if (plan !== undefined) known.set(name, plan);
    return plan;
  }

  private newPlan(payload: Payload, envelope: Envelope | "payload"): ScanPlan | undefined {
    if (this.wasm.free > MAX_TABLE_BYTES || !isReadablePayload(payload)) return undefined;
    return { root: this.tables.body(payload, envelope) };
  }

  /** The differences in the last body scanned: keys that no field reads. */
  get differences(): FoundDifferences {
    return this.found;
  }

  /**
   * Returns the response message in a body, in a buffer that the caller may release; undefined if the
   * JavaScript decoder has to decode the body.
   *
   * @param withStatus whether the status in the envelope must be 200
   * @param maxCost the maximum cost of reading; see `checkJsonCost`
   */
  scan(
    bytes: Uint8Array,
    plan: ScanPlan,
    withStatus = true,
    maxCost = Number.POSITIVE_INFINITY,
  ): Uint8Array<ArrayBuffer> | undefined {
    if (this.isLarge(bytes) || !isUtf8(bytes)) return undefined;
    try {
      return this.read(bytes, plan, withStatus, maxCost);
    } catch {
      // the memory or the stack is exhausted
      return undefined;
    }
  }

  /** Like `scan`, but by the plan of a page. Also returns undefined for a large page. */
  scanPage(bytes: Uint8Array, plan: ScanPlan, withStatus: boolean, maxCost: number): ScannedPage | undefined {
    const message = this.scan(bytes, plan, withStatus, maxCost);
    if (message === undefined) return undefined;
    const { exports } = this.wasm;
    const items = repeated(message);
    pool.release(message);
    return { items, start: exports.listStart(), end: exports.listEnd(), lastItem: exports.lastItemStart() };
  }

  /** Reports whether a body must be read by `scanInPieces`. */
  isLarge(bytes: Uint8Array): boolean {
    return bytes.length > this.sizes.max;
  }

  /** Like `scan`, but reads a few hundred kilobytes at a time, and also returns the differences. */
  *scanInPieces(
    bytes: Uint8Array,
    { root }: ScanPlan,
    withStatus: boolean,
    maxCost: number,
  ): Work<PiecedMessage | undefined> {
    const limit = bytes.length * MAX_COST_OF_NUMBERS > maxCost ? maxCost : undefined;
    const body = { bytes, root, withStatus, maxCost: limit, seed: SEED, sizes: this.sizes };
    try {
      return yield* scanInPieces(this.wasm, this.tables, this.host, body);
    } catch {
      // the memory or the stack is exhausted
      return undefined;
    }
  }

  private read(
    bytes: Uint8Array,
    { root }: ScanPlan,
    withStatus: boolean,
    maxCost: number,
  ): Uint8Array<ArrayBuffer> | undefined {
    const { wasm } = this;
    const { stack, stackEnd, input, output, end } = windowFor(wasm, bytes.length);
    wasm.bytes.set(bytes, input);
    const isCounted = bytes.length * MAX_COST_PER_BYTE > maxCost;
    if (isCounted && isTooCostly(wasm, input, bytes.length, end, maxCost)) return undefined;
    wasm.exports.setUp(stack, stackEnd, input);
    this.host.begin();
    const length = wasm.exports.scan(input, bytes.length, root, output, end, end, withStatus);
    if (length < 0 || !this.isReported(wasm)) return undefined;
    if (!isCounted && wasm.exports.hasCostlyNumber() && bytes.length * MAX_COST_OF_NUMBERS > maxCost) {
      // the scanner has replaced escapes in the input
      wasm.bytes.set(bytes, input);
      if (isTooCostly(wasm, input, bytes.length, end, maxCost)) return undefined;
    }
    const message = pool.acquire(length);
    message.set(wasm.bytes.subarray(output, output + length));
    return message;
  }

  /** Keeps the differences. Returns false if only the decoder can find them. */
  private isReported(wasm: WasmInstance): boolean {
    const length = wasm.exports.reportsLength();
    this.found = NO_DIFFERENCES;
    if (length === 0) return true;
    const start = wasm.exports.reportsStart();
    const kept = keptReports(wasm, start, start + length, this.tables, this.host.found);
    if (kept !== undefined) this.found = differencesOf(kept, this.tables);
    return kept !== undefined;
  }
}

/** Copies the values of a message that consists of a repeated message field 1. */
function repeated(message: Uint8Array<ArrayBuffer>): Array<Uint8Array<ArrayBuffer>> {
  const values: Array<Uint8Array<ArrayBuffer>> = [];
  for (let at = 0; at < message.length; ) {
    // skip the tag, which is one byte
    at++;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      length |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    values.push(new Uint8Array(message.subarray(at, at + length)));
    at += length;
  }
  return values;
}

/** Returns a string that identifies an envelope. */
function nameOf(envelope: Envelope | string): string {
  if (typeof envelope === "string") return envelope;
  const { keys, isOpen } = envelope;
  return JSON.stringify([isOpen, [...keys].map(([key, inner]) => [key, nameOf(inner)])]);
}

/** @param room memory that is not in use */
function isTooCostly(
  { exports, bytes }: WasmInstance,
  input: number,
  length: number,
  room: number,
  maxCost: number,
): boolean {
  bytes.fill(0, room, room + KEY_BYTES);
  return exports.cost(input, length, maxCost, room, 0, SEED) < 0;
}

let shared: Scanner | "none" | undefined;

/** Returns the scanner of this process; undefined if WebAssembly is not available. */
export function scanner(): Scanner | undefined {
  if (shared === undefined) {
    try {
      shared = new Scanner();
    } catch {
      // the option --jitless or a policy disables WebAssembly
      shared = "none";
    }
  }
  return shared === "none" ? undefined : shared;
}
