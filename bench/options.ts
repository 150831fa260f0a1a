import { parseArgs } from "node:util";

/** What to measure, and for how long. */
export interface Options {
  /** Calls of one burst, fewer with large pages. */
  readonly calls: number;
  /** Calls of each contestant before the first round, fewer with large pages. */
  readonly warmUp: number;
  readonly rounds: number;
  /** Bursts of each contestant in a round. */
  readonly turns: number;
  readonly connections: number;
  /** What to measure: something whose name has all words of one of these, in lower case. Everything when empty. */
  readonly only: readonly (readonly string[])[];
  /** Whether the gateway is compared with another process of itself, and nothing else is measured. */
  readonly self: boolean;
  readonly json: boolean;
  /** Whether docs/performance.json is written. */
  readonly record: boolean;
}

export const HELP = `Usage: npm run bench -- [options]
       npm run bench -- upload [--json]
       npm run bench -- generator [--files <n>] [--rounds <n>] [--compile]
       npm run bench -- reliability [--only <names>] [--calls <n>] [--json]
       npm run bench -- watch [--watchers <n>] [--json]

The second form sends a video of 500 MB and says how much memory the gateway takes for it. The third runs the
generator beside protoc-gen-es on Google's APIs. The fourth holds the gateway to bounds while its peers misbehave. The fifth has
10,000 streams watch a feed, and kills the one of two gateways that polls. The first measures
processor time for a call, calls a second, p50 and p99 of the gateway beside a raw proxy and a handler written by hand.

  --calls <n>        calls of one burst, 8 to 100000, fewer with large pages (default 512)
  --warm-up <n>      calls of each before the first round, 8 to 1000000, fewer with large pages (default 12000)
  --rounds <n>       bursts of each, taken in turn, 1 to 99 (default 9); medians are printed
  --connections <n>  connections, with one call in flight on each, 1 to 1000 (default 32)
  --only <names>     measure only what these name: words of a contestant and a page, several joined by commas,
                     e.g. "gateway grpc, proxy", "25 KB" or "codec"
  --json             print JSON instead of tables
  --record           keep the figures in docs/performance.json, from which npm run docs draws docs/performance.md
  --help             show this text

bench/README.md says what is measured and how to read it.
`;

/**
 * Reads the command line; undefined when it asks for help.
 *
 * @throws Error that says what is wrong with it
 */
export function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: "string", default: "512" },
      "warm-up": { type: "string", default: "12000" },
      rounds: { type: "string", default: "9" },
      turns: { type: "string", default: "4" },
      connections: { type: "string", default: "32" },
      only: { type: "string", default: "" },
      self: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
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

/** Whether the options ask for what has this name. */
export function isWanted({ only }: Options, name: string): boolean {
  const lower = name.toLowerCase();
  return only.length === 0 || only.some((words) => words.every((word) => lower.includes(word)));
}

function numberIn(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= min && value <= max) return value;
  throw new Error(`${option}: expected a number from ${min} to ${max}, got ${JSON.stringify(text)}`);
}

function wholeIn(option: string, text: string, min: number, max: number): number {
  const value = numberIn(option, text, min, max);
  if (Number.isInteger(value)) return value;
  throw new Error(`${option}: expected a whole number, got ${JSON.stringify(text)}`);
}
