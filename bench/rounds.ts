import { BASELINE, CONTESTANTS, type Contestant } from "./contestants.ts";
import type { Target } from "./load/connection.ts";
import type { Options } from "./options.ts";
import { isWanted } from "./options.ts";
import { PAGES, type Page } from "./pages.ts";
import { LoadProcess, ServerProcess } from "./processes.ts";

/** One measurement. */
export interface Figures {
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time that all threads of the server took for a call. */
  readonly cpuMicroseconds: number;
}

/** A measurement with that of the proxy at the same time: the mean of one just before and one just after. */
export interface Pair {
  readonly figures: Figures;
  readonly proxy: Figures;
}

/** The measurements of a contestant with one page, one for each round. */
export interface Series {
  readonly contestant: Contestant;
  readonly page: Page;
  readonly rounds: readonly Pair[];
}

/** How often metrics are scraped, in milliseconds. */
const SCRAPE_MS = 1000;

/** Bytes that a burst and a warm-up come to at most, so that large pages take no longer than small ones. */
const BURST_BYTES = 8 * 1024 * 1024;
const WARM_UP_BYTES = 300 * 1024 * 1024;

interface Entry {
  readonly contestant: Contestant;
  readonly page: Page;
  readonly server: ServerProcess;
  readonly target: Target;
  readonly bodyBytes: number;
}

/**
 * Starts every server in a process of its own, checks the response of every contestant, and measures them in turn.
 *
 * @throws Error when a response is not right, before or while measuring
 */
export async function measureCalls(options: Options): Promise<Series[]> {
  const wanted = PAGES.map((page) => ({
    page,
    contestants: CONTESTANTS.filter(({ name }) => isWanted(options, `${name} ${page.label}`)),
  })).filter(({ contestants }) => contestants.length > 0);
  if (wanted.length === 0) return [];
  const started: { stop(): Promise<void> }[] = [];
  try {
    const upstream = await ServerProcess.start("upstream");
    started.push(upstream);
    const generator = await LoadProcess.start();
    started.push(generator);
    const servers = new Map<string, ServerProcess>();
    const needed = [BASELINE, ...wanted.flatMap(({ contestants }) => contestants)];
    for (const name of new Set(needed.map(({ server }) => server))) {
      const server = await ServerProcess.start(name, [`http://127.0.0.1:${upstream.port("http1")}`]);
      started.push(server);
      servers.set(name, server);
    }
    started.push(scrape([...servers.values()]));
    const series: Series[] = [];
    for (const { page, contestants } of wanted) {
      series.push(...(await measurePage(generator, page, contestants, servers, options)));
      await generator.close();
    }
    return series;
  } finally {
    await Promise.all(started.map((each) => each.stop()));
  }
}

/** Scrapes the metrics of those who have some, as an operator would. */
function scrape(servers: readonly ServerProcess[]): { stop(): Promise<void> } {
  const read = async (url: string) => {
    await (await fetch(url)).arrayBuffer();
  };
  const timer = setInterval(() => {
    for (const { metrics } of servers) if (metrics !== undefined) read(metrics).catch(() => undefined);
  }, SCRAPE_MS);
  return { stop: async () => clearInterval(timer) };
}

/** Every contestant in every round, each between two bursts of the proxy. */
async function measurePage(
  generator: LoadProcess,
  page: Page,
  contestants: readonly Contestant[],
  servers: ReadonlyMap<string, ServerProcess>,
  options: Options,
): Promise<Series[]> {
  const enter = async (contestant: Contestant) => {
    const server = servers.get(contestant.server);
    if (server === undefined) throw new Error(`there is no server ${contestant.server}`);
    return await checked(generator, contestant, page, server);
  };
  const proxy = await enter(BASELINE);
  const entries: Entry[] = [];
  for (const contestant of contestants) if (contestant !== BASELINE) entries.push(await enter(contestant));
  const calls = callsOf(page, options.calls, BURST_BYTES);
  const run = (entry: Entry, count = calls) => measure(generator, entry, count, options.connections);
  const warmUp = callsOf(page, options.warmUp, WARM_UP_BYTES);
  for (const entry of [proxy, ...entries]) await run(entry, warmUp);
  const rounds: Pair[][] = entries.map(() => []);
  const alone: Pair[] = [];
  for (let round = 0; round < options.rounds; round++) {
    let before = await run(proxy);
    alone.push({ figures: before, proxy: before });
    for (const [index, entry] of entries.entries()) {
      const figures = await run(entry);
      const after = await run(proxy);
      rounds[index]?.push({ figures, proxy: meanOf(before, after) });
      before = after;
    }
  }
  return [
    { contestant: BASELINE, page, rounds: alone },
    ...entries.map(({ contestant }, index) => ({ contestant, page, rounds: rounds[index] ?? [] })),
  ];
}

function callsOf({ json }: Page, most: number, bytes: number): number {
  return Math.max(8, Math.min(most, Math.ceil(bytes / json.length)));
}

function meanOf(a: Figures, b: Figures): Figures {
  return {
    callsPerSecond: (a.callsPerSecond + b.callsPerSecond) / 2,
    p50Ms: (a.p50Ms + b.p50Ms) / 2,
    p99Ms: (a.p99Ms + b.p99Ms) / 2,
    cpuMicroseconds: (a.cpuMicroseconds + b.cpuMicroseconds) / 2,
  };
}

/** Calls once, and compares the response with the page. */
async function checked(
  generator: LoadProcess,
  contestant: Contestant,
  page: Page,
  server: ServerProcess,
): Promise<Entry> {
  const { protocol } = contestant;
  const target = { protocol, port: server.port(protocol), ...contestant.request(page) };
  const body = await generator.probe(target);
  const problem = contestant.check(body, page);
  if (problem !== undefined) {
    throw new Error(`${contestant.name}, ${page.label}: the response is not right: ${problem}`);
  }
  return { contestant, page, server, target, bodyBytes: body.length };
}

async function measure(
  generator: LoadProcess,
  { contestant, page, server, target, bodyBytes }: Entry,
  calls: number,
  connections: number,
): Promise<Figures> {
  const job = { key: contestant.name, target, calls, connections: Math.min(connections, calls), bodyBytes };
  const before = await server.cpu();
  const burst = await generator.burst(job);
  const after = await server.cpu();
  if (burst.wrong > 0) {
    throw new Error(
      `${contestant.name}, ${page.label}: ${burst.wrong} of ${burst.calls} responses are not right`,
    );
  }
  return {
    callsPerSecond: burst.calls / burst.seconds,
    p50Ms: burst.p50Ms,
    p99Ms: burst.p99Ms,
    cpuMicroseconds: (after - before) / burst.calls,
  };
}
