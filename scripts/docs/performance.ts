/** Prints the page of performance, and its charts, from what `npm run bench -- --record` has measured. */
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
  const { date, node, cpus, load, rounds, turns, warmUp, callsOfBurst, skipped } = recording;
  const extent = `${warmUp} calls to warm up, and ${rounds} rounds of ${turns} bursts of ${callsOfBurst} calls, fewer with large pages`;
  return page(
    readFileSync(HEAD, "utf8").replace("<!-- in short -->", inShort(recording)),
    "## Figures",
    `${date}, Node.js ${node}, ${cpus}; ${extent}. The load average of the machine was ${load} at the start, which also counts what had just ended.`,
    ...skipped,
    table(["Figure", "reached", "wanted", "is reached"], targetCells(targetsOf(recording))),
    ...pages.flatMap((name) => callParts(name, recording)),
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
    ...workerParts(recording),
    ...largeParts(recording),
    ...startParts(recording),
    ...profileParts(recording),
  );
}

/** What most readers want to know, of the figures that there are. */
function inShort(recording: Recording): string {
  const beside = (server: "proxy" | "hand-written" | "go-handler" | "go-transcoder", names: string) => {
    const of = (encoding: string, name: string) => {
      const row = recording.calls.find((each) => each.name === `gateway ${encoding}` && each.page === name);
      return row?.cpu[server]?.median.toFixed(2);
    };
    const found = ["1 KB", "25 KB varied"].flatMap((name) => {
      const [proto, json, grpc] = [of("Connect proto", name), of("Connect JSON", name), of("gRPC", name)];
      return proto === undefined || json === undefined || grpc === undefined
        ? []
        : [`at ${name} **${proto}** with protobuf, ${json} with JSON, ${grpc} by gRPC`];
    });
    return found.length === 0
      ? []
      : [`- Processor time of a call, that of ${names} being 1: ${found.join("; ")}.`];
  };
  return [
    ...beside("proxy", "a proxy that looks at nothing"),
    ...beside("hand-written", "the same service written by hand with connect-node"),
    ...beside("go-handler", "the same written by hand with connect-go"),
    ...beside("go-transcoder", "a transcoding gateway in Go, which passes JSON on as it is"),
    ...recording.large.map(
      ({ name, pageBytes, heldMs, memory }) =>
        `- A page of ${(pageBytes / 1e6).toFixed(1)} MB holds the event loop for ${heldMs.toFixed(1)} ms at most, and takes ${memory.toFixed(1)} times its size in memory, beyond what the idle process has (${name.replace("gateway ", "")}).`,
    ),
    ...recording.start
      .filter(({ name, services }) => name === "gateway" && services === 10)
      .map(
        ({ cpuMs, ratio }) =>
          `- With ten services it is ready in ${ratio.median.toFixed(1)} times what a bare connect-node server takes${cpuMs === undefined ? "" : `, after ${Math.round(cpuMs.median)} ms of processor time`}.`,
      ),
  ].join("\n");
}

function callParts(name: string, recording: Recording): string[] {
  const rows = rowsOf(name, recording);
  const references = REFERENCES.filter((reference) => rows.some(({ cpu }) => cpu[reference] !== undefined));
  const compared = references.map((reference) => `CPU, ${reference} = 1`);
  return [
    `### ${name}`,
    `![Processor time for a call, ${name}](${chartPath(name).replace("docs/", "")})`,
    table(
      ["", ...compared, "calls/s, proxy = 1", "p50 ms", "p99 ms"],
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
    "Calls a second of two workers, those of one being 1: as they were, with the load generator and the upstream on the same two processors; and as the processor time of the workers would allow with two processors of their own.",
    table(
      ["", "beside the load generator", "with two processors of their own"],
      workers.map(({ name, wall, capacity }) => [code(name), estimated(wall), estimated(capacity)]),
    ),
  ];
}

function largeParts({ large }: Recording): string[] {
  if (large.length === 0) return [];
  return [
    "### A page of 6,400 posts",
    "The longest turn of the event loop in nine calls, in processor time of the main thread; the time that passed meanwhile, the median of nine; and the most by which resident memory exceeded that of the idle process, in multiples of the page: during the first call, and during nine in a row.",
    table(
      ["", "MB", "longest turn, ms", "passed, ms", "memory, page = 1", "nine in a row"],
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
    "From the start of a process until it says that it is ready, with services of ten methods each: processor time of all threads, the time that passed, and that in multiples of a bare connect-node server of the same services. The gateway is the package as it is published, and from a checkout, both with a compile cache, as they have it from their second start on.",
    table(
      ["Services", "", "CPU, ms", "passed, ms", "passed, connect-node = 1"],
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
  const percent = (share = 0) => `${(share * 100).toFixed(0)} %`;
  return [
    "### Where the time goes",
    "Shares of the processor time of a call to the gateway, by samples of the main thread's stack: of what a part does itself, and behind it of everything until it returns.",
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
