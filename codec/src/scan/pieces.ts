import { isUtf8 } from "node:buffer";
import type { FoundDifferences } from "../decode/difference.ts";
import type { Work } from "../time/work.ts";
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
import type { Machine } from "./wasm.ts";
import { KEY_BYTES, type Window, windowFor } from "./window.ts";

/** How many bytes are read at once. */
export interface WindowSizes {
  readonly usual: number;
  /** Where an item is larger. */
  readonly max: number;
}

export const WINDOW_SIZES: WindowSizes = { usual: 256 * 1024, max: 512 * 1024 };
/** Bytes that take less than a microsecond. */
const BYTES_PER_UNIT = 256;

/** A body that is to be read in pieces. */
export interface LargeBody {
  readonly bytes: Uint8Array;
  /** The field that it is. */
  readonly root: number;
  readonly withStatus: boolean;
  /** What it may cost to read; undefined where it cannot cost more. */
  readonly maxCost: number | undefined;
  readonly seed: number;
  readonly sizes: WindowSizes;
}

/** A message, and what was not as declared. */
export interface PiecedMessage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly differences: FoundDifferences;
}

/**
 * Reads a body most of which is one list, a few items at a time: each time the scanner is given what is in
 * front of the list, then items as far as there is room. It fails where these are cut, and has noted where
 * the last one begins. The last time it reads to the end of the body, and says what the message is; the items
 * that it has written before are put into that. Between two times nothing stays in the memory of the scanner,
 * so others use it, and whoever leaves has nothing to give back.
 *
 * @returns undefined where JavaScript has to decode it
 */
export function* scanInPieces(
  machine: Machine,
  tables: Tables,
  body: LargeBody,
): Work<PiecedMessage | undefined> {
  const scan = new PieceScan(machine, tables, body);
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

/** The list of which a body has its most. */
interface ListPlace {
  readonly field: number;
  /** How much of the body is in front of its first item. */
  readonly start: number;
  /** The fields that lead to it. */
  readonly steps: readonly Step[];
}

class PieceScan {
  /** How much of the body has been read. */
  at = 0;
  message: PiecedMessage | undefined;
  private readonly machine: Machine;
  private readonly tables: Tables;
  private readonly body: LargeBody;
  private list: ListPlace | undefined;
  /** How many items have been read. */
  private items = 0;
  private output: PieceOutput | undefined;
  private reports: KeptReports = NO_REPORTS;
  private cost = 0;
  private newKeys = 0;
  private keys: Uint8Array | undefined;

  constructor(machine: Machine, tables: Tables, body: LargeBody) {
    this.machine = machine;
    this.tables = tables;
    this.body = body;
  }

  /**
   * Reads on.
   *
   * @returns `end` with the whole message; `left` where JavaScript has to decode it;
   * `short` where more has to be read at once
   */
  next(size: number): "end" | "more" | "left" | "short" {
    const { machine, body, list } = this;
    const { bytes, root, withStatus } = body;
    const head = list?.start ?? 0;
    const end = Math.min(bytes.length, this.at + size - head);
    const length = head + end - this.at;
    const window = windowFor(machine, length);
    machine.bytes.set(bytes.subarray(0, head), window.input);
    machine.bytes.set(bytes.subarray(this.at, end), window.input + head);
    machine.exports.setUp(window.stack, window.stackEnd, window.input);
    const { input, output, end: room } = window;
    const written = machine.exports.scan(input, length, root, output, room, room, withStatus);
    if (end === bytes.length) return written < 0 ? "left" : this.readLast(window, written);
    // what has ended before the body has is followed by what is none of it
    return written < 0 ? this.readPiece(window) : "left";
  }

  /** What has been read of the list, before the window has ended. */
  private readPiece(window: Window): "more" | "left" | "short" {
    const { machine, tables, body } = this;
    const at = machine.exports.lastPlace() / 4;
    const place = machine.words.slice(at, at + Object.keys(PLACE).length);
    const word = (name: keyof typeof PLACE) => place[PLACE[name]] ?? 0;
    const field = word("list");
    if (field === 0 || word("itemIndex") === 0) return "short";
    const list = this.list ?? {
      field,
      start: word("listInput") - window.input,
      steps: stepsOf(machine, window, word("listSteps")),
    };
    const isAnother = list.field !== field || list.start !== word("listInput") - window.input;
    if (isAnother) return "short";
    // what is in front of the list is read each time
    if (list.start > body.sizes.usual / 2) return "left";
    if (![field, ...list.steps.map((step) => step.field)].every((each) => tables.isSimple(each))) {
      return "left";
    }
    const head = this.list?.start ?? 0;
    this.list = list;
    if (!this.accepts(window, head, word("itemInput"))) return "left";
    this.at += word("itemInput") - window.input - head;
    this.keep(word("itemReports"), isIn(list));
    this.output ??= new PieceOutput(2 * list.start + 1024);
    const piece = machine.bytes.subarray(word("listOutput"), word("itemOutput"));
    this.output.push(piece, this.at / body.bytes.length);
    this.items += word("itemIndex");
    return "more";
  }

  private readLast(window: Window, length: number): "end" | "left" {
    const { machine, tables, list, output } = this;
    const head = list?.start ?? 0;
    const end = window.input + head + this.body.bytes.length - this.at;
    if (!this.accepts(window, head, end)) return "left";
    this.keep(machine.exports.reportsLength(), () => true);
    const differences = differencesOf(this.reports, (field) => tables.nameOf(field));
    const last = machine.bytes.subarray(window.output, window.output + length);
    const bytes = list === undefined ? last.slice() : this.joined(last, list, output);
    if (differences === undefined || bytes === undefined) return "left";
    this.message = { bytes, differences };
    return "end";
  }

  private joined(
    last: Uint8Array,
    { field, steps }: ListPlace,
    output: PieceOutput | undefined,
  ): Uint8Array<ArrayBuffer> | undefined {
    // the list is the last step, where it is a field
    const fields = [...steps.slice(0, -1).map((step) => step.field), field];
    const tags = fields.map((each) => this.tables.tagOf(each));
    const opened = openedAt(last, tags, output?.length ?? 0);
    return opened && output?.within(opened);
  }

  /** Whether what has been read is UTF-8, and does not cost too much. */
  private accepts(window: Window, head: number, to: number): boolean {
    const { machine, body } = this;
    const { maxCost, seed } = body;
    const from = window.input + head;
    if (!isUtf8(machine.bytes.subarray(from, to))) return false;
    if (maxCost === undefined) return true;
    // what was written stays where it is until it is copied
    const room = window.end;
    this.keys ??= new Uint8Array(KEY_BYTES);
    machine.bytes.set(this.keys, room);
    const left = maxCost - this.cost;
    const cost = machine.exports.cost(from, to - from, left, room, this.newKeys, seed);
    if (cost < 0) return false;
    this.keys.set(machine.bytes.subarray(room, room + KEY_BYTES));
    this.newKeys = machine.exports.newKeys();
    this.cost += cost;
    return true;
  }

  /** Keeps reports, those in the list with the indices that its items have in the body. */
  private keep(length: number, isMeant: (steps: readonly Step[]) => boolean): void {
    if (length === 0) return;
    const from = this.machine.exports.reportsStart();
    const { first, count } = keptReports(this.machine, from, from + length, isMeant);
    const { list, items } = this;
    const inList = list === undefined ? () => false : isIn(list);
    const at = (list?.steps.length ?? 0) - 1;
    const moved = first.map((report) =>
      inList(report.steps) ? { ...report, steps: withIndex(report.steps, at, items) } : report,
    );
    this.reports = joinedReports(this.reports, { first: moved, count });
  }
}

/** Whether the message that a report is about is in a list. */
function isIn({ steps: around }: ListPlace): (steps: readonly Step[]) => boolean {
  return (steps) =>
    around.length > 0 &&
    steps.length >= around.length &&
    around.every(({ field }, level) => steps[level]?.field === field);
}

function withIndex(steps: readonly Step[], at: number, more: number): readonly Step[] {
  return steps.map((step, level) => (level === at ? { ...step, index: step.index + more } : step));
}

/** The steps to the list, which are where the reports begin. */
function stepsOf({ words }: Machine, { stackEnd }: Window, count: number): readonly Step[] {
  return Array.from({ length: count }, (_, i) => {
    const at = stackEnd / 4 + 3 * i;
    return { rank: words[at] ?? 0, field: words[at + 1] ?? 0, index: -1 };
  });
}
