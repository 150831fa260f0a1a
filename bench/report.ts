import type { CodecFigures } from "./codec.ts";
import type { Options } from "./options.ts";
import type { Estimate } from "./statistics.ts";
import type { Row } from "./summary.ts";

/** The tables of all calls, one for each page. */
export function callTables(rows: readonly Row[], { connections, rounds }: Options): string {
  const pages = [...new Set(rows.map(({ page }) => page))];
  const head = `${connections} connections, ${rounds} rounds; medians, and where they lie with 95 % confidence.`;
  return [
    `${head} Only the ratios mean anything elsewhere: processor time is better when small, calls/s when large.`,
    ...pages.map((page) =>
      callTable(
        page,
        rows.filter((row) => row.page === page),
      ),
    ),
  ].join("\n\n");
}

function callTable(page: string, rows: readonly Row[]): string {
  const cells = rows.map(({ name, medians, cpu: { proxy, ...others }, calls }) => [
    name,
    medians.cpuMicroseconds.toFixed(0),
    estimated(proxy),
    estimated(Object.values(others)[0]),
    medians.callsPerSecond.toFixed(0),
    proxy === undefined ? "" : `x ${calls.median.toFixed(2)}`,
    medians.p50Ms.toFixed(2),
    medians.p99Ms.toFixed(2),
  ]);
  const head = ["CPU us/call", "/ proxy", "/ hand-written", "calls/s", "/ proxy", "p50 ms", "p99 ms"];
  return table([[`ListPosts, ${page}`, ...head], ...cells]);
}

function estimated(value: Estimate | undefined): string {
  if (value === undefined) return "";
  return `x ${value.median.toFixed(2)} [${value.low.toFixed(2)}, ${value.high.toFixed(2)}]`;
}

/** The table of the codec alone, with a part for each page. */
export function codecTable(figures: readonly CodecFigures[]): string {
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
