import type { CodecFigures } from "./codec.ts";
import type { Options } from "./options.ts";
import type { Figures } from "./rounds.ts";
import type { Row } from "./summary.ts";

/** The tables of all calls, one for each page. */
export function callTables(rows: readonly Row[], { connections, rounds, seconds }: Options): string {
  const pages = [...new Set(rows.map(({ page }) => page))];
  const head = `${connections} connections, ${rounds} rounds of ${seconds} s; medians.`;
  return [
    `${head} Only the ratios mean anything elsewhere: calls/s is better above 1, the others below.`,
    ...pages.map((page) =>
      callTable(
        page,
        rows.filter((row) => row.page === page),
      ),
    ),
  ].join("\n\n");
}

function callTable(page: string, rows: readonly Row[]): string {
  const cells = rows.flatMap((row) => [
    [row.name, ...absolute(row.medians)],
    ...Object.entries(row.ratios).map(([baseline, ratio]) => [`  / ${baseline}`, ...relative(ratio)]),
  ]);
  return table([[`ListPosts, ${page}`, "calls/s", "p50 ms", "p99 ms", "CPU us/call"], ...cells]);
}

function absolute({ callsPerSecond, p50Ms, p99Ms, cpuMicroseconds }: Figures): string[] {
  return [callsPerSecond.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2), cpuMicroseconds.toFixed(0)];
}

function relative({ callsPerSecond, p50Ms, p99Ms, cpuMicroseconds }: Figures): string[] {
  return [callsPerSecond, p50Ms, p99Ms, cpuMicroseconds].map((value) => `x ${value.toFixed(2)}`);
}

/** The table of the codec alone. */
export function codecTable(figures: readonly CodecFigures[]): string {
  const rows = figures.map(({ name, microseconds, ratio }) => [
    name,
    microseconds.toFixed(1),
    `x ${ratio.toFixed(2)}`,
  ]);
  return table([["Codec alone, 25 KB of JSON to protobuf", "us", "ratio"], ...rows]);
}

/** Aligns columns: the first to the left, the others to the right. */
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
