import type { CodecFigures } from "./codec.ts";
import type { ServerName } from "./contestants.ts";
import type { DirtyFigures } from "./dirty.ts";
import type { LargeFigures } from "./large.ts";
import type { Options } from "./options.ts";
import type { PairFigures } from "./pair.ts";
import type { ProfileFigures } from "./profile.ts";
import type { Others } from "./rounds.ts";
import type { StartFigures } from "./start.ts";
import type { Estimate } from "./statistics.ts";
import type { Row } from "./summary.ts";
import { type Results, targetCells, targetsOf } from "./targets.ts";
import type { WorkerFigures } from "./workers.ts";

/** All results of a run. */
export interface RunResults extends Results {
  readonly rounds: number;
  readonly turns: number;
  /** The maximum number of calls of each contestant before the first round, and per burst. */
  readonly warmUp: number;
  readonly callsOfBurst: number;
  /** The reasons for skipped contestants. */
  readonly skipped: readonly string[];
  readonly others: readonly Others[];
  readonly pair: readonly PairFigures[];
  readonly dirty: readonly DirtyFigures[];
  readonly profiles: readonly ProfileFigures[];
}

/** Formats all tables of a run. Skipped contestants are listed first. */
export function resultTables(results: RunResults, options: Options): string {
  const { pair, calls, others, codec, dirty, workers, large, start, profiles, skipped } = results;
  const targets = targetsOf(results);
  const tables = [
    ...(pair.length > 0 ? [pairTable(pair)] : []),
    ...(calls.length > 0 ? [callTables(calls, others, options)] : []),
    ...(codec.length > 0 ? [codecTable(codec)] : []),
    ...(dirty.length > 0 ? [dirtyTable(dirty)] : []),
    ...workers.map(workersLine),
    ...large.map(largeLine),
    ...(start.length > 0 ? [startTable(start)] : []),
    ...profiles.map(profileTable),
    ...(targets.length > 0
      ? [table([["Figure", "measured", "target", "met"], ...targetCells(targets)])]
      : []),
  ];
  return [...skipped, ...(tables.length > 0 ? tables : ["--only: nothing has such a name"])].join("\n\n");
}

function pairTable(figures: readonly PairFigures[]): string {
  const rows = figures.map(({ name, page, cpuMicroseconds, ratio, baseline }) => [
    `  ${name}, ${page}`,
    cpuMicroseconds.toFixed(0),
    estimated(ratio),
    baseline,
  ]);
  return table([["Two busy servers, ListPosts", "CPU us/call", "/ baseline", "baseline"], ...rows]);
}

function workersLine({ name, wall, capacity }: WorkerFigures): string {
  const alone = capacity === undefined ? "unknown" : estimated(capacity);
  return `Two workers to one, ${name}: calls/s ${estimated(wall)} beside the load generator, ${alone} with two processors of their own`;
}

function largeLine({ name, pageBytes, heldMs, heldWallMs, memory, memoryInARow }: LargeFigures): string {
  const size = `${(pageBytes / 1e6).toFixed(1)} MB`;
  const held = `${heldMs.toFixed(1)} ms of processor time (${heldWallMs.toFixed(0)} ms passed)`;
  return `A page of ${size}, ${name}: the event loop held for ${held}; memory x ${memory.toFixed(1)}, ${memoryInARow.toFixed(1)} after nine`;
}

function startTable(figures: readonly StartFigures[]): string {
  const whole = (value: Estimate | undefined) =>
    value === undefined
      ? ""
      : `${value.median.toFixed(0)} [${value.low.toFixed(0)}, ${value.high.toFixed(0)}]`;
  const rows = figures.map(({ name, services, readyMs, cpuMs, ratio }) => [
    `${services} services, ${name}`,
    whole(cpuMs),
    whole(readyMs),
    name === "connect-node" ? "" : estimated(ratio),
  ]);
  return table([["Start, until it is ready", "CPU ms", "passed ms", "/ connect-node"], ...rows]);
}

function profileTable({ name, page, cpuMicroseconds, parts }: ProfileFigures): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
  const head = [`${name}, ${page}: ${cpuMicroseconds.toFixed(0)} us while profiled`, "own", "inclusive"];
  return table([head, ...parts.map(({ part, own, inclusive }) => [part, percent(own), percent(inclusive)])]);
}

/** Formats one table of calls per page. */
function callTables(
  rows: readonly Row[],
  others: readonly Others[],
  { connections, rounds, turns }: Options,
): string {
  const pages = [...new Set(rows.map(({ page }) => page))];
  const head = `${connections} connections, ${rounds} rounds of ${turns} bursts; medians, and where they lie with 95% confidence.`;
  return [
    `${head} Only the ratios mean anything elsewhere: processor time is better when small, calls/s when large.`,
    ...pages.flatMap((page) => [
      callTable(
        page,
        rows.filter((row) => row.page === page),
      ),
      ...others.filter((each) => each.page === page).map(othersLine),
    ]),
  ].join("\n\n");
}

/** Returns a sentence about the share of the machine that other processes used. */
export function othersLine({ counted, leftOut }: Others): string {
  const percent = ([least, most]: readonly [number, number]) => {
    const [low, high] = [(least * 100).toFixed(0), (most * 100).toFixed(0)];
    return low === high ? `${low}%` : `${low} to ${high}%`;
  };
  const rest = leftOut === undefined ? "" : `, and ${percent(leftOut)} in the other rounds`;
  return `Other processes used ${percent(counted)} of the processors in the rounds that count${rest}.`;
}

/** The reference servers, in the order of the columns. */
export const REFERENCES: readonly ServerName[] = [
  "proxy",
  "hand-written",
  "go-handler",
  "go-transcoder",
  "gateway",
];

function callTable(page: string, rows: readonly Row[]): string {
  const references = REFERENCES.filter((name) => rows.some(({ cpu }) => cpu[name] !== undefined));
  const cells = rows.map(({ name, server, medians, cpu, calls }) => [
    name,
    medians.cpuMicroseconds.toFixed(0),
    ...references.map((reference) => estimated(cpu[reference])),
    medians.callsPerSecond.toFixed(0),
    server === "proxy" ? "" : `x ${calls.median.toFixed(2)}`,
    medians.p50Ms.toFixed(2),
    medians.p99Ms.toFixed(2),
  ]);
  const compared = references.map((name) => `/ ${name}`);
  const head = ["CPU us/call", ...compared, "calls/s", "/ proxy", "p50 ms", "p99 ms"];
  return table([[`ListPosts, ${page}`, ...head], ...cells]);
}

function estimated(value: Estimate | undefined): string {
  if (value === undefined) return "";
  return `x ${value.median.toFixed(2)} [${value.low.toFixed(2)}, ${value.high.toFixed(2)}]`;
}

/** Formats the codec's table, with a section per page. */
function codecTable(figures: readonly CodecFigures[]): string {
  const pages = [...new Set(figures.map(({ page }) => page))];
  const rows = pages.flatMap((page) => [
    [page],
    ...figures
      .filter((each) => each.page === page)
      .map(({ name, microseconds, ratio }) => [
        `  ${name}`,
        microseconds.toFixed(1),
        `x ${ratio.toFixed(2)}`,
      ]),
  ]);
  return table([["Codec alone", "CPU us", "ratio"], ...rows]);
}

/** Formats the costs of spellings, relative to a page without them. */
function dirtyTable(figures: readonly DirtyFigures[]): string {
  const rows = figures.map(({ spelling, codec, decoder }) => [
    `  ${spelling}`,
    estimated(codec),
    estimated(decoder),
  ]);
  return table([
    ["A page of 25 KB, CPU per decode / clean page", "codec", "JavaScript decoder alone"],
    ...rows,
  ]);
}

/** Aligns the first column to the left and the others to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  return rows.map(line).join("\n");
}
