/** Prints the performance page and its charts from the figures of `npm run bench -- --record`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Recording } from "../../bench/record.ts";
import { othersLine, REFERENCES } from "../../bench/report.ts";
import type { Estimate } from "../../bench/statistics.ts";
import type { Row } from "../../bench/summary.ts";
import { targetCells, targetsOf } from "../../bench/targets.ts";
import { type Bar, barChart } from "./chart.ts";
import { code, page, table } from "./markdown.ts";

const HEAD = new URL("performance-head.md", import.meta.url);
const FILE = "docs/performance.json";

/** Returns the page and its charts, by path. */
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
  return barChart(`ListPosts, ${name}`, "processor time per call, in multiples of a raw proxy's", bars);
}

function markdown(recording: Recording, pages: readonly string[]): string {
  const { date, node, cpus, load, rounds, turns, warmUp, callsOfBurst, skipped } = recording;
  const extent = `${warmUp} warm-up calls, then ${rounds} rounds of ${turns} bursts of ${callsOfBurst} calls, or fewer if the page is large`;
  return page(
    readFileSync(HEAD, "utf8")
      .replace("<!-- pair -->", pairTable(recording))
      .replace("<!-- in short -->", inShort(recording)),
    "## Figures",
    `The contestants were measured on ${date} with Node.js ${node} on ${cpus}, with ${extent}. The load average at the start was ${load}, which includes processes that had just ended.`,
    ...skipped,
    table(["Figure", "measured", "target", "met"], targetCells(targetsOf(recording))),
    ...pages.flatMap((name) => callParts(name, recording)),
    "### The codec alone",
    table(
      ["Page", "Conversion", "processor time, us", "relative to JSON.parse"],
      recording.codec.map(({ page: size, name, microseconds, ratio }) => [
        size,
        name,
        microseconds.toFixed(1),
        ratio.toFixed(2),
      ]),
    ),
    ...workerParts(recording),
    ...largeParts(recording),
    ...startParts(recording),
    ...profileParts(recording),
  );
}

/** Returns the headline. */
function pairTable({ pair }: Recording): string {
  return table(
    ["Two busy servers", "processor time per call, us", "relative to the baseline", "baseline"],
    pair.map(({ name, page: size, cpuMicroseconds, ratio, baseline }) => [
      `${code(name)}, ${size}`,
      cpuMicroseconds.toFixed(0),
      estimated(ratio),
      baseline,
    ]),
  );
}

/** Returns the figures that readers ask for most, if they were recorded. */
function inShort(recording: Recording): string {
  return [
    ...shortTable(recording),
    ...recording.large.map(
      ({ name, pageBytes, heldMs, memory }) =>
        `- A page of ${(pageBytes / 1e6).toFixed(1)} MB blocks the event loop for at most ${heldMs.toFixed(1)} ms. The gateway then needs ${memory.toFixed(1)} times the size of the page in addition to the memory of the idle process (${name.replace("gateway ", "")}).`,
    ),
    ...recording.start
      .filter(({ name, services }) => name === "gateway" && services === 10)
      .map(
        ({ cpuMs, ratio }) =>
          `- A gateway with ten services takes ${ratio.median.toFixed(1)} times as long to start as a bare connect-node server${cpuMs === undefined ? "" : `, and uses ${Math.round(cpuMs.median)} ms of processor time`}.`,
      ),
  ].join("\n");
}

const SHORT_PAGES = ["1 KB", "25 KB varied"];
const SHORT_ENCODINGS = ["Connect proto", "Connect JSON", "gRPC"];
const SHORT_NAMES = [
  ["proxy", "a raw proxy, which does not read the bytes"],
  ["hand-written", "the same service by hand with connect-node"],
  ["go-handler", "the same service by hand with connect-go"],
  ["go-transcoder", "a transcoding gateway in Go, which forwards JSON unchanged"],
] as const;

function shortTable({ calls }: Recording): string[] {
  const columns = SHORT_PAGES.flatMap((size) => SHORT_ENCODINGS.map((encoding) => [size, encoding] as const));
  const rows = SHORT_NAMES.map(([server, title]) => [
    title,
    ...columns.map(([size, encoding]) => {
      const row = calls.find((each) => each.name === `gateway ${encoding}` && each.page === size);
      return row?.cpu[server]?.median.toFixed(2) ?? "";
    }),
  ]).filter(([, ...cells]) => cells.some((cell) => cell !== ""));
  if (rows.length === 0) return [];
  const head = [
    "Processor time per call of the gateway, relative to",
    ...columns.map((each) => each.join(", ")),
  ];
  return [table(head, rows), ""];
}

function callParts(name: string, recording: Recording): string[] {
  const rows = rowsOf(name, recording);
  const references = REFERENCES.filter((reference) => rows.some(({ cpu }) => cpu[reference] !== undefined));
  const compared = references.map((reference) => `processor time relative to ${reference}`);
  return [
    `### ${name}`,
    `![Processor time per call, ${name}](${chartPath(name).replace("docs/", "")})`,
    table(
      ["", ...compared, "throughput relative to proxy", "p50 ms", "p99 ms"],
      rows.map(({ name: label, server, cpu, calls, medians }) => [
        code(label),
        ...references.map((reference) => estimated(cpu[reference])),
        server === "proxy" ? "" : calls.median.toFixed(2),
        medians.p50Ms.toFixed(1),
        medians.p99Ms.toFixed(1),
      ]),
    ),
    ...recording.others.filter((each) => each.page === name).map(othersLine),
  ];
}

function workerParts({ workers }: Recording): string[] {
  if (workers.length === 0) return [];
  return [
    "### Two workers",
    "This table shows the throughput of two workers relative to one worker. The first column is measured, with the load generator and the upstream on the same two processors. The second column is computed from the processor time of the workers, as if the workers had two processors for themselves.",
    table(
      ["", "measured", "computed for two dedicated processors"],
      workers.map(({ name, wall, capacity }) => [code(name), estimated(wall), estimated(capacity)]),
    ),
  ];
}

function largeParts({ large }: Recording): string[] {
  if (large.length === 0) return [];
  return [
    "### A page of 6,400 posts",
    "_Longest turn_ is the longest event-loop turn in nine calls, in processor time of the main thread. _Elapsed_ is the longest event-loop turn of a call in wall-clock time, as the median of nine calls. _Memory_ is the peak of resident memory above the memory of the idle process, in multiples of the page size, during the first call and during nine consecutive calls.",
    table(
      ["", "MB", "longest turn, ms", "elapsed, ms", "memory relative to the page", "memory, nine calls"],
      large.map(({ name, pageBytes, heldMs, heldWallMs, memory, memoryInARow }) => [
        code(name),
        (pageBytes / 1e6).toFixed(1),
        heldMs.toFixed(1),
        heldWallMs.toFixed(0),
        memory.toFixed(1),
        memoryInARow.toFixed(1),
      ]),
    ),
  ];
}

function startParts({ start }: Recording): string[] {
  if (start.length === 0) return [];
  const whole = (value: Estimate | undefined) =>
    value === undefined
      ? ""
      : `${value.median.toFixed(0)} [${value.low.toFixed(0)}, ${value.high.toFixed(0)}]`;
  return [
    "### Start",
    "A start lasts from the start of the process until the process reports that it is ready. The table shows the processor time of all threads, and the elapsed time. The last column is relative to a bare connect-node server with the same services. Each service has ten methods. `gateway` is the package as it would be published, and `gateway, checkout` runs from this repository. Both use a compile cache, as on every start except the first.",
    table(
      ["Services", "", "processor time, ms", "elapsed, ms", "elapsed, relative to connect-node"],
      start.map(({ name, services, cpuMs, readyMs, ratio }) => [
        String(services),
        code(name),
        whole(cpuMs),
        whole(readyMs),
        name === "connect-node" ? "" : estimated(ratio),
      ]),
    ),
  ];
}

function profileParts({ profiles }: Recording): string[] {
  if (profiles.length === 0) return [];
  const columns = profiles.map(({ name, page: size }) => `${name.replace("gateway ", "")}, ${size}`);
  const parts = [...new Set(profiles.flatMap((each) => each.parts.map(({ part }) => part)))];
  const percent = (share = 0) => `${(share * 100).toFixed(0)}%`;
  return [
    "### Where the time goes",
    "This table shows how much of a call's processor time each part of the gateway's code takes, according to samples of the main thread's stack. The first number is the part's own share. The number in parentheses includes everything that the part calls.",
    table(
      ["", ...columns],
      parts.map((part) => [
        part,
        ...profiles.map((each) => {
          const share = each.parts.find((other) => other.part === part);
          return `${percent(share?.own)} (${percent(share?.inclusive)})`;
        }),
      ]),
    ),
  ];
}

function estimated(value: Estimate | undefined): string {
  if (value === undefined) return "";
  return `${value.median.toFixed(2)} [${value.low.toFixed(2)}, ${value.high.toFixed(2)}]`;
}
