import type { FoundDifferences } from "../decode/difference.ts";
import { DifferenceWriter } from "../decode/difference-writer.ts";
import type { JsonValue } from "../json/json.ts";
import type { Machine } from "./wasm.ts";

/** Words of a report before its steps, and of a step. See codec/scanner/report.ts. */
const HEAD_WORDS = 5;
const STEP_WORDS = 3;
/** The ranks from which on a step is to an envelope, whose keys come behind all that is in the payload. */
export const ENVELOPE_RANK = 0x4000_0000;
/** Only so many of a class are described. */
const MAX_DESCRIBED = 100;

/** A key that no field names. */
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
  /** In a list; -1 without one. */
  readonly index: number;
}

/** A key that no field names, its texts taken out of the memory of the scanner. */
export interface KeptReport {
  readonly steps: readonly Step[];
  readonly key: string;
  readonly value: string;
}

/** Reports of which the first are kept, in the order of the decoder, and all are counted. */
export interface KeptReports {
  readonly first: readonly KeptReport[];
  readonly count: number;
}

export const NO_REPORTS: KeptReports = { first: [], count: 0 };

/** Notes keys at any path, as a decoder would that has come to them. */
class ReportWriter extends DifferenceWriter {
  noteAt(path: ReadonlyArray<string | number>, key: string, value: JsonValue): void {
    this.path = [...path];
    this.additional(key, value);
  }
}

/**
 * The differences that a decoder would have found, in its order: a message's fields by their ranks, and
 * behind them the keys of its own. undefined where it would have found a number that it prints
 * otherwise than JSON.parse reads it.
 *
 * @param from where the reports begin
 * @param nameOf the key by which a field is reported
 */
export function readReports(
  machine: Machine,
  from: number,
  to: number,
  nameOf: (field: number) => string,
): FoundDifferences | undefined {
  return differencesOf(keptReports(machine, from, to), nameOf);
}

/** @param isMeant which reports count, by their steps */
export function keptReports(
  { bytes, words }: Machine,
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

/** The reports of two parts of a body. */
export function joinedReports(a: KeptReports, b: KeptReports): KeptReports {
  const first = [...a.first, ...b.first].sort(inOrder).slice(0, MAX_DESCRIBED);
  return { first, count: a.count + b.count };
}

/** As `readReports`. */
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
    // keys of a message come behind those below it
    if (other === undefined) return -1;
    const difference = step.rank - other.rank || step.index - other.index;
    if (difference !== 0) return difference;
  }
  return b.length > a.length ? 1 : 0;
}

function isAround([step]: readonly Step[]): boolean {
  return step !== undefined && step.rank >= ENVELOPE_RANK;
}

/** A value as far as it is described: of arrays and objects their type. */
function describedOf(text: string): JsonValue | undefined {
  if (text.startsWith("{")) return {};
  if (text.startsWith("[")) return [];
  const value = JSON.parse(text) as JsonValue;
  return typeof value === "number" && String(value) !== text ? undefined : value;
}
