/**
 * `npm run bench -- pair`: compares the gateway with a raw proxy, or with the gateway of another checkout.
 * Only the two servers of a row are busy while the row is measured, so that both stay in the caches.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { callsOf, checked, type Entry, measureBurst, WARM_UP_BYTES } from "./burst.ts";
import {
  BASELINE,
  type Contestant,
  type GatewayCall,
  INFLATING_BASELINE,
  selectedCalls,
} from "./contestants.ts";
import type { Options } from "./options.ts";
import { LoadProcess, type Server, ServerProcess } from "./processes.ts";
import { progress } from "./progress.ts";
import { scrape } from "./rounds.ts";
import { type Estimate, estimate, median, pairedRatios } from "./statistics.ts";

/** The processor time of a call, relative to a named baseline. */
export interface PairFigures {
  readonly name: string;
  readonly page: string;
  readonly baseline: string;
  readonly cpuMicroseconds: number;
  readonly ratio: Estimate;
}

/** The headline. */
const USUAL: readonly string[] = [
  "gateway Connect proto 1 KB",
  "gateway Connect proto 25 KB",
  "gateway Connect proto 25 KB varied",
  "gateway Connect JSON 25 KB",
  "gateway gRPC 1 KB",
  "gateway gRPC 25 KB",
  "gateway Connect proto 25 KB varied, gzip",
];

/** Bursts are long, because the first calls after a switch between two servers find cold caches. */
const CALLS = 2048;
const BURST_BYTES = 48 * 1024 * 1024;

/** A server, and how it is called. */
interface Baseline {
  readonly name: string;
  readonly contestant: Contestant;
  readonly server: Server;
}

/** The two servers of a row. */
interface Pair {
  readonly baseline: Entry;
  readonly baselineName: string;
  readonly subject: Entry;
}

type Start = (name: string, args?: readonly string[], folder?: string) => Promise<Server>;

/**
 * Measures the selected calls. All calls are warmed up before the first is measured, so that no row depends
 * on the rows above it.
 *
 * @throws Error if a response is wrong, or if the other checkout has no benchmark
 */
export async function measurePair(options: Options): Promise<PairFigures[]> {
  const wanted = selectedCalls(options, "pair", USUAL);
  if (wanted.length === 0) return [];
  const started: { stop(): Promise<void> }[] = [];
  try {
    const upstream = await ServerProcess.start("upstream");
    started.push(upstream);
    const generator = await LoadProcess.start();
    started.push(generator);
    const start: Start = async (name, args = [], folder = undefined) => {
      const url = `http://127.0.0.1:${upstream.port("http1")}`;
      const server = await ServerProcess.start(name, [url, ...args], folder);
      started.push(server);
      return server;
    };
    const gateway = await start("gateway");
    const { baselineOf, baselines } = await startBaselines(start, options);
    started.push(scrape([gateway, ...baselines]));
    const pairs: Pair[] = [];
    for (const call of wanted) {
      const { name, contestant, server } = baselineOf(call);
      pairs.push({
        baseline: await checked(generator, contestant, call.page, server),
        baselineName: name,
        subject: await checked(generator, call.contestant, call.page, gateway),
      });
    }
    progress(`pair: ${pairs.length} rows warm up`);
    for (const pair of pairs) await warmUp(generator, pair, options);
    const figures: PairFigures[] = [];
    for (const pair of pairs) figures.push(await measure(generator, pair, options));
    return figures;
  } finally {
    await Promise.all(started.map((each) => each.stop()));
  }
}

/** Starts the servers with which the gateway is compared. */
async function startBaselines(
  start: Start,
  { against }: Options,
): Promise<{ baselines: readonly Server[]; baselineOf: (call: GatewayCall) => Baseline }> {
  if (against !== undefined) {
    const folder = join(resolve(against), "bench");
    if (!existsSync(join(folder, "servers/gateway.ts"))) {
      throw new Error(`--against: expected a checkout of this repository, got ${JSON.stringify(against)}`);
    }
    const other = await start("gateway", [], folder);
    return {
      baselines: [other],
      baselineOf: ({ contestant }) => ({ name: against, contestant, server: other }),
    };
  }
  const [proxy, inflating] = [await start("proxy"), await start("proxy", ["inflate"])];
  return {
    baselines: [proxy, inflating],
    baselineOf: ({ page: { gzip } }) =>
      gzip === undefined
        ? { name: BASELINE.name, contestant: BASELINE, server: proxy }
        : { name: INFLATING_BASELINE.name, contestant: INFLATING_BASELINE, server: inflating },
  };
}

async function warmUp(generator: LoadProcess, { baseline, subject }: Pair, options: Options): Promise<void> {
  const calls = callsOf(subject.page, options.warmUp, WARM_UP_BYTES);
  for (const entry of [baseline, subject]) {
    await measureBurst(generator, entry, calls, options.connections);
  }
  await generator.close();
}

async function measure(
  generator: LoadProcess,
  { baseline, baselineName, subject }: Pair,
  { rounds, connections }: Options,
): Promise<PairFigures> {
  const { contestant, page } = subject;
  progress(`pair: ${contestant.name}, ${page.label}: ${rounds} rounds`);
  const calls = callsOf(page, CALLS, BURST_BYTES);
  const times: number[] = [];
  const cpuOf = async (entry: Entry) =>
    (await measureBurst(generator, entry, calls, connections)).cpuMicroseconds;
  const ofSubject = async () => {
    const time = await cpuOf(subject);
    times.push(time);
    return time;
  };
  // The first round opens the connections.
  await pairedRatios(
    () => cpuOf(baseline),
    () => cpuOf(subject),
    1,
  );
  const ratios = await pairedRatios(() => cpuOf(baseline), ofSubject, rounds);
  await generator.close();
  return {
    name: contestant.name,
    page: page.label,
    baseline: baselineName,
    cpuMicroseconds: median(times),
    ratio: estimate(ratios),
  };
}
