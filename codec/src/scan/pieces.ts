import { isUtf8 } from "node:buffer";
import type { FoundDifferences } from "../decode/difference.ts";
import type { Work } from "../time/work.ts";
import type { HostReader } from "./host-reader.ts";
import { openedAt } from "./insertion.ts";
import { PLACE } from "./layout.ts";
import { PieceOutput } from "./piece-output.ts";
import {
  differencesOf,
  joinedReports,
  type KeptReports,
  keptReports,
  NO_REPORTS,
  type Step,
} from "./reports.ts";
import type { Tables } from "./tables.ts";
import type { WasmInstance } from "./wasm.ts";
import { KEY_BYTES, type Window, windowFor } from "./window.ts";

/** The number of bytes read in one step. */
export interface WindowSizes {
  readonly usual: number;
  /** The maximum number of bytes read in one step, for a single large item. */
  readonly max: number;
}

export const WINDOW_SIZES: WindowSizes = { usual: 256 * 1024, max: 512 * 1024 };
/** The number of bytes that are read in less than a microsecond. */
const BYTES_PER_UNIT = 256;

/** A body to be read in pieces. */
export interface LargeBody {
  readonly bytes: Uint8Array;
  /** The number that identifies the root field. */
  readonly root: number;
  readonly withStatus: boolean;
  /** The maximum cost of reading; undefined if the body cannot exceed it. */
  readonly maxCost: number | undefined;
  readonly seed: number;
  readonly sizes: WindowSizes;
}

/** A message, with its differences. */
export interface PiecedMessage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly differences: FoundDifferences;
}

/**
 * Reads a body that consists mostly of one list, a few items at a time. In each run the scanner gets the
 * bytes before the list, then as many items as fit. The run fails where an item is cut off, but the scanner
 * has recorded where that item begins. The last run reads to the end of the body and returns the message,
 * into which the previously written items are then inserted. Between two runs nothing stays in the memory of
 * the scanner, so other bodies may use it, and an aborted read needs no cleanup.
 *
 * @returns undefined if the JavaScript decoder has to decode the body
 */
export function* scanInPieces(
  wasm: WasmInstance,
  tables: Tables,
  host: HostReader,
  body: LargeBody,
): Work<PiecedMessage | undefined> {
  const scan = new PieceScan(wasm, tables, host, body);
  const { usual, max } = body.sizes;
  for (let size = usual; ; ) {
    const from = scan.at;
    const found = scan.next(size);
    if (found === "end") return scan.message;
    if (found === "left" || (found === "short" && size === max)) return undefined;
    if (found === "short") size = max;
    yield Math.ceil((size + scan.at - from) / BYTES_PER_UNIT);
  }
}

/** The list that makes up most of a body. */
interface ListPlace {
  readonly field: number;
  /** The number of bytes before the first item. */
  readonly start: number;
  /** The fields on the path to the list. */
  readonly steps: readonly Step[];
}

class PieceScan {
  /** The number of bytes read. */
  at = 0;
  message: PiecedMessage | undefined;
  private readonly wasm: WasmInstance;
  private readonly tables: Tables;
  private readonly host: HostReader;
  private readonly body: LargeBody;
  private list: ListPlace | undefined;
  /** The number of items read. */
  private items = 0;
  private output: PieceOutput | undefined;
  private reports: KeptReports = NO_REPORTS;
  private cost = 0;
  private newKeys = 0;
  private keys: Uint8Array | undefined;

  constructor(wasm: WasmInstance, tables: Tables, host: HostReader, body: LargeBody) {
    this.wasm = wasm;
    this.tables = tables;
    this.host = host;
    this.body = body;
  }

  /**
   * Reads the next piece.
   *
   * @returns `end` with the whole message; `left` if the JavaScript decoder has to read it; `short` if the
   *   next piece must be larger
   */
  next(size: number): "end" | "more" | "left" | "short" {
    const { wasm, body, list } = this;
    const { bytes, root, withStatus } = body;
    const head = list?.start ?? 0;
    const end = Math.min(bytes.length, this.at + size - head);
    const length = head + end - this.at;
    const window = windowFor(wasm, length);
    wasm.bytes.set(bytes.subarray(0, head), window.input);
    wasm.bytes.set(bytes.subarray(this.at, end), window.input + head);
    wasm.exports.setUp(window.stack, window.stackEnd, window.input);
    this.host.begin(list === undefined ? undefined : window.input + head);
    const { input, output, end: room } = window;
    const written = wasm.exports.scan(input, length, root, output, room, room, withStatus);
    if (end === bytes.length) return written < 0 ? "left" : this.readLast(window, written);
    // the message ends before the body does, and JavaScript handles the bytes after the message
    return written < 0 ? this.readPiece(window) : "left";
  }

  /** Keeps the list items before the end of the window. */
  private readPiece(window: Window): "more" | "left" | "short" {
    const { wasm, tables, body } = this;
    const at = wasm.exports.lastPlace() / 4;
    const place = wasm.words.slice(at, at + Object.keys(PLACE).length);
    const word = (name: keyof typeof PLACE) => place[PLACE[name]] ?? 0;
    const field = word("list");
    if (field === 0 || word("itemIndex") === 0) return "short";
    const list = this.list ?? {
      field,
      start: word("listInput") - window.input,
      steps: stepsOf(wasm, window, word("listSteps")),
    };
    const isAnother = list.field !== field || list.start !== word("listInput") - window.input;
    if (isAnother) return "short";
    // the bytes before the list are read again in each run
    if (list.start > body.sizes.usual / 2) return "left";
    if (![field, ...list.steps.map((step) => step.field)].every((each) => tables.isSimple(each))) {
      return "left";
    }
    const head = this.list?.start ?? 0;
    this.list = list;
    if (!this.keep(word("itemReports"), isIn(list))) return "left";
    if (!this.accepts(window, head, word("itemInput"))) return "left";
    this.at += word("itemInput") - window.input - head;
    this.output ??= new PieceOutput(2 * list.start + 1024);
    const piece = wasm.bytes.subarray(word("listOutput"), word("itemOutput"));
    this.output.push(piece, this.at / body.bytes.length);
    this.items += word("itemIndex");
    return "more";
  }

  private readLast(window: Window, length: number): "end" | "left" {
    const { wasm, tables, list, output } = this;
    const head = list?.start ?? 0;
    const end = window.input + head + this.body.bytes.length - this.at;
    if (!this.keep(wasm.exports.reportsLength(), () => true)) return "left";
    if (!this.accepts(window, head, end)) return "left";
    const differences = differencesOf(this.reports, tables);
    const last = wasm.bytes.subarray(window.output, window.output + length);
    const bytes = list === undefined ? last.slice() : this.joined(last, list, output);
    if (bytes === undefined) return "left";
    this.message = { bytes, differences };
    return "end";
  }

  private joined(
    last: Uint8Array,
    { field, steps }: ListPlace,
    output: PieceOutput | undefined,
  ): Uint8Array<ArrayBuffer> | undefined {
    // if the list is a field, it is the last step
    const fields = [...steps.slice(0, -1).map((step) => step.field), field];
    const tags = fields.map((each) => this.tables.tagOf(each));
    const opened = openedAt(last, tags, output?.length ?? 0);
    return opened && output?.within(opened);
  }

  /** Reports whether the bytes read so far are UTF-8 and within the cost limit. */
  private accepts(window: Window, head: number, to: number): boolean {
    const { wasm, body } = this;
    const { maxCost, seed } = body;
    const from = window.input + head;
    // the scanner has replaced escapes in the input
    wasm.bytes.set(body.bytes.subarray(this.at, this.at + to - from), from);
    if (!isUtf8(wasm.bytes.subarray(from, to))) return false;
    if (maxCost === undefined) return true;
    // the memory after the window holds the output until it is copied
    const room = window.end;
    this.keys ??= new Uint8Array(KEY_BYTES);
    wasm.bytes.set(this.keys, room);
    const left = maxCost - this.cost;
    const cost = wasm.exports.cost(from, to - from, left, room, this.newKeys, seed);
    if (cost < 0) return false;
    this.keys.set(wasm.bytes.subarray(room, room + KEY_BYTES));
    this.newKeys = wasm.exports.newKeys();
    this.cost += cost;
    return true;
  }

  /**
   * Keeps reports. Reports inside the list get the indices of their items in the whole body. Returns false if
   * the decoder must describe a value.
   */
  private keep(length: number, isMeant: (steps: readonly Step[]) => boolean): boolean {
    if (length === 0) return true;
    const from = this.wasm.exports.reportsStart();
    const { tables, host, list, items } = this;
    const kept = keptReports(this.wasm, from, from + length, tables, host.found, isMeant);
    if (kept === undefined) return false;
    const inList = list === undefined ? () => false : isIn(list);
    const at = (list?.steps.length ?? 0) - 1;
    const moved = kept.first.map((report) =>
      inList(report.steps) ? { ...report, steps: withIndex(report.steps, at, items) } : report,
    );
    this.reports = joinedReports(this.reports, { ...kept, first: moved });
    return true;
  }
}

/** Returns a function that reports whether the message of a report is in a list. */
function isIn({ steps: around }: ListPlace): (steps: readonly Step[]) => boolean {
  return (steps) =>
    around.length > 0 &&
    steps.length >= around.length &&
    around.every(({ field }, level) => steps[level]?.field === field);
}

function withIndex(steps: readonly Step[], at: number, more: number): readonly Step[] {
  return steps.map((step, level) => (level === at ? { ...step, index: step.index + more } : step));
}

/** Reads the steps to the list. They are stored at the address where the reports begin. */
function stepsOf({ words }: WasmInstance, { stackEnd }: Window, count: number): readonly Step[] {
  return Array.from({ length: count }, (_, i) => {
    const at = stackEnd / 4 + 3 * i;
    return { rank: words[at] ?? 0, field: words[at + 1] ?? 0, index: -1 };
  });
}
