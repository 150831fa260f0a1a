/** Prints the page of performance, and its charts, from what `npm run bench -- --record` has measured. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Recording } from "../../bench/record.ts";
import type { Row } from "../../bench/summary.ts";
import { type Bar, barChart } from "./chart.ts";
import { code, page, table } from "./markdown.ts";

const HEAD = new URL("performance-head.md", import.meta.url);
const FILE = "docs/performance.json";

/** The page and its charts, by their paths. */
export function performancePages(root: string): Record<string, string> {
  const recording = JSON.parse(readFileSync(join(root, FILE), "utf8")) as Recording;
  const pages = [...new Set(recording.calls.map((row) => row.page))];
  const charts = pages.map((name) => [chartPath(name), chartOf(name, recording)] as const);
  return { "docs/performance.md": markdown(recording, pages), ...Object.fromEntries(charts) };
}

function chartPath(name: string): string {
  return `docs/performance-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.svg`;
}

function rowsOf(name: string, { calls }: Recording): readonly Row[] {
  return calls.filter((row) => row.page === name);
}

function chartOf(name: string, recording: Recording): string {
  const bars = rowsOf(name, recording).flatMap(({ name: label, cpu: { proxy } }): Bar[] =>
    proxy === undefined
      ? []
      : [
          {
            label,
            value: proxy.median,
            low: proxy.low,
            high: proxy.high,
            isOurs: label.startsWith("gateway"),
          },
        ],
  );
  return barChart(`ListPosts, ${name}`, "processor time for a call, in multiples of a raw proxy's", bars);
}

function markdown(recording: Recording, pages: readonly string[]): string {
  const { date, node, cpus, load, rounds } = recording;
  return page(
    readFileSync(HEAD, "utf8"),
    "## Figures",
    `${date}, Node.js ${node}, ${cpus}, ${rounds} rounds; the load average of the machine was ${load} at the start.`,
    ...pages.flatMap((name) => [
      `### ${name}`,
      `![Processor time for a call, ${name}](${chartPath(name).replace("docs/", "")})`,
      table(
        ["", "CPU, proxy = 1", "CPU, hand-written = 1", "calls/s, proxy = 1", "p50 ms", "p99 ms"],
        rowsOf(name, recording).map(cellsOf),
      ),
    ]),
    "### The codec alone",
    table(
      ["Page", "From JSON to protobuf", "CPU us", "JSON.parse = 1"],
      recording.codec.map(({ page: size, name, microseconds, ratio }) => [
        size,
        name,
        microseconds.toFixed(1),
        ratio.toFixed(2),
      ]),
    ),
  );
}

function cellsOf({ name, cpu: { proxy, ...others }, calls, medians }: Row): string[] {
  const [byHand] = Object.values(others);
  const estimated = (value: typeof proxy) =>
    value === undefined
      ? ""
      : `${value.median.toFixed(2)} [${value.low.toFixed(2)}, ${value.high.toFixed(2)}]`;
  return [
    code(name),
    estimated(proxy),
    estimated(byHand),
    proxy === undefined ? "" : calls.median.toFixed(2),
    medians.p50Ms.toFixed(1),
    medians.p99Ms.toFixed(1),
  ];
}
