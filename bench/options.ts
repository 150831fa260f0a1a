import { parseArgs } from "node:util";

/** Parts that can be measured separately. */
export const PARTS = ["pair", "calls", "codec", "dirty", "workers", "large", "start", "profile"] as const;
export type Part = (typeof PARTS)[number];

/** The selected measurements, and their duration. */
export interface Options {
  /** The only part to measure; undefined for all. */
  readonly part: Part | undefined;
  /** The number of calls per burst, which is lower for large pages. */
  readonly calls: number;
  /** The number of calls of each contestant before the first round, which is lower for large pages. */
  readonly warmUp: number;
  /** The number of rounds, of which only half count. */
  readonly rounds: number;
  /** The number of bursts of each contestant per round. */
  readonly turns: number;
  readonly connections: number;
  /** The checkout whose gateway replaces the proxy in the pair; undefined for the proxy. */
  readonly against: string | undefined;
  /**
   * Filters for names, in lower case. A name is selected if it contains all words of at least one filter, or
   * if there are no filters.
   */
  readonly only: readonly (readonly string[])[];
  /** Whether to compare only the gateway with a second process of the gateway. */
  readonly self: boolean;
  readonly json: boolean;
  /** Whether to write docs/performance.json. */
  readonly record: boolean;
}

export const HELP = `Usage: npm run bench -- [options]
       npm run bench -- --quick [options]
       npm run bench -- pair [--against <path>] [options]
       npm run bench -- --self [options]
       npm run bench -- calls | codec | dirty | workers | large | start | profile [options]
       npm run bench -- upload [--json]
       npm run bench -- generator [--files <n>] [--rounds <n>] [--compile]
       npm run bench -- import
       npm run bench -- reliability [--only <names>] [--calls <n>] [--json]
       npm run bench -- features [--rounds <n>]
       npm run bench -- watch [--watchers <n>] [--json]

Without the name of a part, the benchmark measures all parts from "pair" to "profile", in half an hour:

  pair         the headline: processor time per call of the gateway relative to a raw proxy, or to the gateway of
               another checkout; only the two servers are busy
  calls        processor time per call, calls per second, p50 and p99 of the gateway, a raw proxy, handlers
               written by hand for Node.js and in Go, and a transcoding gateway in Go, in turn
  codec        the codec alone
  dirty        pages with unusual spellings, in the codec alone
  workers      two workers compared with one worker
  large        a page of 6,400 posts
  start        the start of a gateway
  profile      where the time of a call goes
  upload       the gateway's memory during an upload of 500 MB
  generator    the generator compared with protoc-gen-es, on Google's APIs
  import       imports of OpenAPI documents, by the size of the document
  reliability  bounds while clients and upstreams misbehave
  features     gateways with and without the console, explanations and tools, which nobody uses
  watch        10,000 streams that watch a feed, and two gateways, one of which is killed

  --quick            the same as "pair": prints the headline in less than five minutes
  --against <path>   compare the gateway with the gateway of the checkout in this folder, not with a proxy
  --calls <n>        calls of one burst, 8 to 100000, fewer with large pages (default 256); "pair" ignores it
  --warm-up <n>      calls of each server before the first round, 8 to 1000000, fewer with large pages (default 12000)
  --rounds <n>       rounds, 1 to 99 (default 24); "calls" prints medians of the half in which other processes used
                     the machine least
  --turns <n>        bursts of each server in a round, in random order, 1 to 99 (default 4); "pair" ignores it
  --connections <n>  connections, with one call in flight on each, 1 to 1000 (default 32)
  --only <names>     measure only what these name: words of a contestant and a page, several joined by commas,
                     e.g. "gateway grpc, proxy", "25 KB" or "codec"
  --self             compare the gateway with another process of itself, and measure nothing else
  --json             print JSON instead of tables
  --record           keep the figures in docs/performance.json, from which npm run docs draws docs/performance.md
  --help             show this text

bench/README.md says what is measured and how to read the output.
`;

/**
 * Parses the command line. Returns undefined for a request for help.
 *
 * @throws Error that names the mistake in the command line
 */
export function readOptions(args: readonly string[]): Options | undefined {
  const named = PARTS.find((name) => name === args[0]);
  const { values } = parseArgs({
    args: named === undefined ? [...args] : args.slice(1),
    options: {
      calls: { type: "string", default: "256" },
      "warm-up": { type: "string", default: "12000" },
      rounds: { type: "string", default: "24" },
      turns: { type: "string", default: "4" },
      connections: { type: "string", default: "32" },
      only: { type: "string", default: "" },
      quick: { type: "boolean", default: false },
      against: { type: "string" },
      self: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { quick, against } = values;
  const part = quick ? "pair" : named;
  if (quick && named !== undefined && named !== "pair") {
    throw new Error(`--quick: measures "pair", not "${named}"`);
  }
  if (against !== undefined && part !== "pair") throw new Error('--against: expected the part "pair"');
  if (against !== undefined && values.record) {
    throw new Error("--record: expected a comparison with a proxy, got --against");
  }
  return {
    part,
    against,
    calls: wholeIn("--calls", values.calls, 8, 100_000),
    warmUp: wholeIn("--warm-up", values["warm-up"], 8, 1_000_000),
    rounds: wholeIn("--rounds", values.rounds, 1, 99),
    turns: wholeIn("--turns", values.turns, 1, 99),
    connections: wholeIn("--connections", values.connections, 1, 1000),
    only: values.only
      .toLowerCase()
      .split(",")
      .map((words) => words.split(" ").filter((word) => word !== ""))
      .filter((words) => words.length > 0),
    self: values.self,
    json: values.json,
    record: values.record,
  };
}

/** Reports whether the options select this name. */
export function isWanted({ only }: Options, name: string): boolean {
  const lower = name.toLowerCase();
  // The filter 25 must not match 250.
  const has = (word: string) => (/^\d/.test(word) ? lower.split(" ").includes(word) : lower.includes(word));
  return only.length === 0 || only.some((words) => words.every(has));
}

/** Reports whether the options select a part, directly, by a filter, or by default. */
export function isPartWanted({ part, only, self }: Options, name: Part): boolean {
  if (self) return name === "calls";
  if (part !== undefined) return part === name;
  return name === "calls" || only.length === 0 || only.some((words) => words.includes(name));
}

/** Reports whether the options select a part with its default contestants. */
export function isUsual({ only }: Options, part: Part): boolean {
  return only.every((words) => words.every((word) => word === part));
}

/** Returns the whole number in an option. */
export function wholeIn(option: string, text: string, min: number, max = Number.POSITIVE_INFINITY): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= min && value <= max) return value;
  const range = Number.isFinite(max) ? `${min} to ${max}` : min;
  throw new Error(`${option}: expected a whole number from ${range}, got ${JSON.stringify(text)}`);
}
