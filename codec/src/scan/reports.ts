import {
  DIFFERENCE_CLASSES,
  type Difference,
  type DifferenceClass,
  type DifferenceCounts,
  type FoundDifferences,
  NO_DIFFERENCES,
} from "../decode/difference.ts";
import { describe } from "../decode/difference-writer.ts";
import { MAX_KEPT } from "../decode/segment.ts";
import type { JsonValue } from "../json/json.ts";
import { joinedPath, stepText } from "../json/path-text.ts";
import type { WasmInstance } from "./wasm.ts";

/** The number of words in a report before its steps, and in each step. See codec/scanner/report.ts. */
const HEAD_WORDS = 6;
const STEP_WORDS = 3;
/** The subject of a report: an unknown key, a converted value, or a value that the host has read. */
const WHAT = { unknownKey: 0, converted: 1, handedOver: 2 } as const;
/**
 * The lowest rank of steps to envelopes. The keys of an envelope are reported after everything in the
 * payload.
 */
export const ENVELOPE_RANK = 0x4000_0000;

interface Report {
  readonly what: number;
  readonly key: Span;
  readonly value: Span;
  readonly steps: readonly Step[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A step to a value: a field and its rank. */
export interface Step {
  readonly rank: number;
  readonly field: number;
  /** The index in a list; -1 outside of lists. */
  readonly index: number;
}

/** A difference, with strings that are not in the memory of the scanner. */
interface KeptReport {
  readonly steps: readonly Step[];
  /** The number of steps in front of the path of the difference. */
  readonly above: number;
  readonly difference: Difference;
}

/**
 * The first differences of each class in the order in which the decoder would find them, and their numbers.
 */
export interface KeptReports {
  readonly first: readonly KeptReport[];
  readonly counts: DifferenceCounts;
}

export const NO_REPORTS: KeptReports = { first: [], counts: NO_DIFFERENCES.counts };

/** The names and types of fields in reports. */
export interface FieldNames {
  /** Returns the key by which reports name a field. */
  nameOf(field: number): string;
  /** Returns the declared type of a scalar field, or of the items of a list. */
  typeOf(field: number): string;
}

/**
 * Reads the reports of a scan, in the order in which a decoder would have found the differences: the fields
 * of a message by rank, then the keys of the message itself. Returns undefined if only the decoder can
 * describe a value: a number whose notation JSON.parse changes, or the rest of a list.
 *
 * @param from the address of the first report
 * @param handedOver the differences in the values that the host has read
 * @param isMeant selects the reports to keep, by their steps
 */
export function keptReports(
  wasm: WasmInstance,
  from: number,
  to: number,
  names: FieldNames,
  handedOver: readonly FoundDifferences[],
  isMeant: (steps: readonly Step[]) => boolean = () => true,
): KeptReports | undefined {
  const reader = new ReportReader(wasm, names, handedOver);
  const reports = reportsIn(wasm.words, from / 4, to / 4).filter(({ steps }) => isMeant(steps));
  return reports.sort(inOrder).every((report) => reader.read(report)) ? reader : undefined;
}

class ReportReader implements KeptReports {
  readonly first: KeptReport[] = [];
  readonly counts: Record<DifferenceClass, number> = { additional: 0, converted: 0, lost: 0 };
  private readonly wasm: WasmInstance;
  private readonly names: FieldNames;
  private readonly handedOver: readonly FoundDifferences[];

  constructor(wasm: WasmInstance, names: FieldNames, handedOver: readonly FoundDifferences[]) {
    this.wasm = wasm;
    this.names = names;
    this.handedOver = handedOver;
  }

  /** Reads a report. Returns false if only the decoder can describe the value. */
  read({ what, key, value, steps }: Report): boolean {
    if (what === WHAT.handedOver) {
      this.readHandedOver(steps, key.start);
      return true;
    }
    const isUnknown = what === WHAT.unknownKey;
    const as = isUnknown ? "additional" : "converted";
    if (++this.counts[as] > MAX_KEPT) return true;
    const got = describedOf(this.text(value));
    if (got === undefined) return false;
    const last = steps.at(-1);
    const above = isUnknown || last?.index !== -1 ? steps.length : steps.length - 1;
    const name = isUnknown
      ? stepText(this.text(key))
      : above < steps.length
        ? this.names.nameOf(last?.field ?? 0)
        : "";
    const expected = isUnknown ? "no such key" : this.names.typeOf(last?.field ?? 0);
    this.first.push({
      steps,
      above,
      difference: { path: name, expected, got, class: as },
    });
    return true;
  }

  private readHandedOver(steps: readonly Step[], index: number): void {
    const { list, counts } = this.handedOver[index] ?? NO_DIFFERENCES;
    const above = steps.at(-1)?.index === -1 ? steps.length - 1 : steps.length;
    for (const difference of list) {
      if (++this.counts[difference.class] <= MAX_KEPT) this.first.push({ steps, above, difference });
    }
    for (const as of DIFFERENCE_CLASSES) {
      this.counts[as] += counts[as] - list.filter((each) => each.class === as).length;
    }
  }

  private text({ start, end }: Span): string {
    return this.wasm.text(start, end);
  }
}

/** Joins the reports of two parts of a body. */
export function joinedReports(a: KeptReports, b: KeptReports): KeptReports {
  const left = { additional: MAX_KEPT, converted: MAX_KEPT, lost: MAX_KEPT };
  const first = [...a.first, ...b.first]
    .sort(inOrder)
    .filter(({ difference }) => left[difference.class]-- > 0);
  const counts = { ...a.counts };
  for (const as of DIFFERENCE_CLASSES) counts[as] += b.counts[as];
  return { first, counts };
}

/** Returns the differences with their whole paths. */
export function differencesOf({ first, counts }: KeptReports, names: FieldNames): FoundDifferences {
  const list = first.map(({ steps, above, difference: { path: rest, expected, got, class: as } }) => {
    let path = "";
    for (let level = 0; level < above; level++) {
      const { field, index } = steps[level] as Step;
      path = joinedPath(path, names.nameOf(field));
      if (index >= 0) path += `[${index}]`;
    }
    return { path: joinedPath(path, rest), expected, got, class: as };
  });
  return list.length === 0 ? NO_DIFFERENCES : { list, counts };
}

function reportsIn(words: Uint32Array, from: number, to: number): Report[] {
  const reports: Report[] = [];
  for (let at = from; at < to; ) {
    const length = words[at] ?? 0;
    const key = words[at + 2] ?? 0;
    const start = words[at + 4] ?? 0;
    const steps: Step[] = [];
    const what = words[at + 1] ?? 0;
    const keyEnd = key + (words[at + 3] ?? 0);
    const end = words[at + 5] ?? 0;
    at += HEAD_WORDS;
    for (const last = at + length * STEP_WORDS; at < last; at += STEP_WORDS) {
      steps.push({ rank: words[at] ?? 0, field: words[at + 1] ?? 0, index: (words[at + 2] ?? 0) | 0 });
    }
    reports.push({ what, key: { start: key, end: keyEnd }, value: { start, end }, steps });
  }
  return reports;
}

function inOrder({ steps: a }: Pick<Report, "steps">, { steps: b }: Pick<Report, "steps">): number {
  const around = Number(isAround(a)) - Number(isAround(b));
  if (around !== 0) return around;
  for (let level = 0; level < a.length; level++) {
    const step = a[level] as Step;
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

/** A string whose JSON is short, and the same in any notation. */
const PLAIN_STRING = /^"[^"\\]{0,38}"$/;

/** Describes a value. Returns undefined for a number whose notation JSON.parse changes. */
function describedOf(text: string): string | undefined {
  if (PLAIN_STRING.test(text)) return `string ${text}`;
  if (text.startsWith("{")) return "object";
  if (text.startsWith("[")) return "array";
  const value = JSON.parse(text) as JsonValue;
  return typeof value === "number" && String(value) !== text ? undefined : describe(value);
}
