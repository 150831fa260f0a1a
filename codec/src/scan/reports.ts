import type { FoundDifferences } from "../decode/difference.ts";
import { DifferenceWriter } from "../decode/difference-writer.ts";
import type { JsonValue } from "../json/json.ts";
import { stepText } from "../json/path-text.ts";
import type { WasmInstance } from "./wasm.ts";

/** The number of words in a report before its steps, and in each step. See codec/scanner/report.ts. */
const HEAD_WORDS = 5;
const STEP_WORDS = 3;
/**
 * The lowest rank of steps to envelopes. The keys of an envelope are reported after everything in the
 * payload.
 */
export const ENVELOPE_RANK = 0x4000_0000;
/** The maximum number of differences per class that are described. */
const MAX_DESCRIBED = 100;

/** A key that no field reads. */
interface Report {
  readonly key: Span;
  readonly value: Span;
  readonly steps: readonly Step[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A step to a message: a field and its rank. */
export interface Step {
  readonly rank: number;
  readonly field: number;
  /** The index in a list; -1 outside of lists. */
  readonly index: number;
}

/** A key that no field reads, with its strings copied from the memory of the scanner. */
export interface KeptReport {
  readonly steps: readonly Step[];
  readonly key: string;
  readonly value: string;
}

/** The first reports, in the order in which the decoder would find them, and the total number of reports. */
export interface KeptReports {
  readonly first: readonly KeptReport[];
  readonly count: number;
}

export const NO_REPORTS: KeptReports = { first: [], count: 0 };

/** Records keys at any path, as a decoder at that path would. */
class ReportWriter extends DifferenceWriter {
  noteAt(path: ReadonlyArray<string | number>, key: string, value: JsonValue): void {
    this.path = [...path];
    this.additional(stepText(key), value);
  }
}

/**
 * Reads the differences in the order in which a decoder would have found them: the fields of a message by
 * rank, then the keys of the message itself. Returns undefined if the decoder would have met a number whose
 * notation JSON.parse changes.
 *
 * @param from the address of the first report
 * @param nameOf returns the key by which reports name a field
 */
export function readReports(
  wasm: WasmInstance,
  from: number,
  to: number,
  nameOf: (field: number) => string,
): FoundDifferences | undefined {
  return differencesOf(keptReports(wasm, from, to), nameOf);
}

/** @param isMeant selects the reports to keep, by their steps */
export function keptReports(
  { bytes, words }: WasmInstance,
  from: number,
  to: number,
  isMeant: (steps: readonly Step[]) => boolean = () => true,
): KeptReports {
  const reports = reportsIn(words, from / 4, to / 4)
    .filter(({ steps }) => isMeant(steps))
    .sort(inOrder);
  const text = ({ start, end }: Span) => Buffer.from(bytes.buffer, start, end - start).toString();
  const first = reports
    .slice(0, MAX_DESCRIBED)
    .map(({ steps, key, value }) => ({ steps, key: text(key), value: text(value) }));
  return { first, count: reports.length };
}

/** Joins the reports of two parts of a body. */
export function joinedReports(a: KeptReports, b: KeptReports): KeptReports {
  const first = [...a.first, ...b.first].sort(inOrder).slice(0, MAX_DESCRIBED);
  return { first, count: a.count + b.count };
}

/** Like `readReports`. */
export function differencesOf(
  { first, count }: KeptReports,
  nameOf: (field: number) => string,
): FoundDifferences | undefined {
  const writer = new ReportWriter();
  for (const { steps, key, value } of first) {
    const described = describedOf(value);
    if (described === undefined) return undefined;
    const path = steps.flatMap((step) =>
      step.index < 0 ? [nameOf(step.field)] : [nameOf(step.field), step.index],
    );
    writer.noteAt(path, key, described);
  }
  for (let index = first.length; index < count; index++) writer.noteAt([], "", null);
  return writer.found();
}

function reportsIn(words: Uint32Array, from: number, to: number): Report[] {
  const reports: Report[] = [];
  for (let at = from; at < to; ) {
    const [length = 0, key = 0, keyLength = 0, start = 0, end = 0] = words.subarray(at, at + HEAD_WORDS);
    at += HEAD_WORDS;
    const steps: Step[] = [];
    for (const last = at + length * STEP_WORDS; at < last; at += STEP_WORDS) {
      const [rank = 0, field = 0, index = 0] = words.subarray(at, at + STEP_WORDS);
      steps.push({ rank, field, index: index | 0 });
    }
    reports.push({ key: { start: key, end: key + keyLength }, value: { start, end }, steps });
  }
  return reports;
}

function inOrder({ steps: a }: Pick<Report, "steps">, { steps: b }: Pick<Report, "steps">): number {
  const around = Number(isAround(a)) - Number(isAround(b));
  if (around !== 0) return around;
  for (const [level, step] of a.entries()) {
    const other = b[level];
    // the keys of a message are reported after the keys inside its fields
    if (other === undefined) return -1;
    const difference = step.rank - other.rank || step.index - other.index;
    if (difference !== 0) return difference;
  }
  return b.length > a.length ? 1 : 0;
}

function isAround([step]: readonly Step[]): boolean {
  return step !== undefined && step.rank >= ENVELOPE_RANK;
}

/** Returns the part of a value that reports describe: only the type of an array or object. */
function describedOf(text: string): JsonValue | undefined {
  if (text.startsWith("{")) return {};
  if (text.startsWith("[")) return [];
  const value = JSON.parse(text) as JsonValue;
  return typeof value === "number" && String(value) !== text ? undefined : value;
}
