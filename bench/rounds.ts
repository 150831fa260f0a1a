import { callsOf, checked, type Entry, type Figures, measureBurst, WARM_UP_BYTES } from "./burst.ts";
import { BASELINE, CONTESTANTS, type Contestant, GO_PROGRAMS, SELF, type ServerName } from "./contestants.ts";
import { buildGo, GoProcess } from "./go.ts";
import { machineTime, othersShare } from "./machine.ts";
import type { Options } from "./options.ts";
import { isWanted } from "./options.ts";
import { PAGES, type Page } from "./pages.ts";
import { LoadProcess, type Server, ServerProcess } from "./processes.ts";
import { progress } from "./progress.ts";

/**
 * The measurements of a contestant for one page, with one measurement per round. Measurements with the same
 * index are from the same round.
 */
export interface Series {
  readonly contestant: Contestant;
  readonly page: Page;
  readonly rounds: readonly Figures[];
}

/** The measurements, and the reasons for skipped contestants. */
export interface Measured {
  readonly series: readonly Series[];
  /** The share of the processors that other processes used, by page. */
  readonly others: readonly Others[];
  /** The reasons for skipped contestants, one per line. */
  readonly skipped: readonly string[];
}

/** The share of the processors that other processes used while a page was measured. */
export interface Others {
  readonly page: string;
  /** The minimum and maximum over the rounds that count. */
  readonly counted: readonly [number, number];
  /** The minimum and maximum over the other rounds, if there are any. */
  readonly leftOut: readonly [number, number] | undefined;
}

/** The interval at which metrics are scraped, in milliseconds. */
const SCRAPE_MS = 1000;

/** The maximum number of bytes in a burst, so that large pages take no longer than small ones. */
const BURST_BYTES = 6 * 1024 * 1024;

/**
 * Starts every server in a separate process, checks the response of every contestant, and measures the
 * contestants.
 *
 * @throws Error if a response is wrong, before or during the measurement
 */
export async function measureCalls(options: Options): Promise<Measured> {
  const { contestants: able, skipped } = ableContestants(options);
  const wanted = PAGES.map((page) => ({
    page,
    contestants: able.filter(({ name }) => isWanted(options, `${name} ${page.label}`)),
  })).filter(({ contestants }) => contestants.length > 0);
  if (wanted.length === 0) return { series: [], others: [], skipped };
  const started: { stop(): Promise<void> }[] = [];
  try {
    const upstream = await ServerProcess.start("upstream");
    started.push(upstream);
    const generator = await LoadProcess.start();
    started.push(generator);
    const servers = new Map<ServerName, Server>();
    const needed = [BASELINE, ...wanted.flatMap(({ contestants }) => contestants)];
    for (const name of new Set(needed.map(({ server }) => server))) {
      const server = await startServer(name, `http://127.0.0.1:${upstream.port("http1")}`);
      started.push(server);
      servers.set(name, server);
    }
    started.push(scrape([...servers.values()]));
    const series: Series[] = [];
    const others: Others[] = [];
    const machine: Processes = { generator, servers, all: [upstream, generator, ...servers.values()] };
    for (const { page, contestants } of wanted) {
      const measured = await measurePage(machine, page, contestants, options);
      series.push(...measured.series);
      others.push(measured.others);
      await generator.close();
    }
    return { series, others, skipped };
  } finally {
    await Promise.all(started.map((each) => each.stop()));
  }
}

/** Returns the selected contestants, without the Go contestants if these cannot be built. */
function ableContestants(options: Options): { contestants: readonly Contestant[]; skipped: string[] } {
  const contestants = (options.self ? SELF : CONTESTANTS).filter(({ name }) =>
    PAGES.some(({ label }) => isWanted(options, `${name} ${label}`)),
  );
  if (!contestants.some(({ server }) => GO_PROGRAMS.has(server))) return { contestants, skipped: [] };
  const problem = buildGo();
  if (problem === undefined) return { contestants, skipped: [] };
  return {
    contestants: contestants.filter(({ server }) => !GO_PROGRAMS.has(server)),
    skipped: [`SKIPPED: ${[...GO_PROGRAMS.keys()].join(" and ")}: ${problem}`],
  };
}

function startServer(name: ServerName, upstream: string): Promise<Server> {
  const program = GO_PROGRAMS.get(name);
  if (program !== undefined) return GoProcess.start(program, upstream);
  return ServerProcess.start(name === "gateway-again" ? "gateway" : name, [upstream]);
}

/** Scrapes the metrics of all servers that have metrics, as an operator would. */
export function scrape(servers: readonly Server[]): { stop(): Promise<void> } {
  const read = async (url: string) => {
    await (await fetch(url)).arrayBuffer();
  };
  const timer = setInterval(() => {
    for (const { metrics } of servers) if (metrics !== undefined) read(metrics).catch(() => undefined);
  }, SCRAPE_MS);
  return { stop: async () => clearInterval(timer) };
}

/** The processes of the benchmark. */
interface Processes {
  readonly generator: LoadProcess;
  readonly servers: ReadonlyMap<ServerName, Server>;
  readonly all: readonly { cpu(): Promise<number> }[];
}

/**
 * The figures of a round in the order of the contestants, and the share of the processors that other
 * processes used.
 */
interface Round {
  readonly figures: readonly Figures[];
  readonly others: number;
}

/**
 * Measures every contestant in every round. Only half of the rounds count: those with the least load by other
 * processes, whatever their results.
 */
async function measurePage(
  machine: Processes,
  page: Page,
  contestants: readonly Contestant[],
  options: Options,
): Promise<{ series: Series[]; others: Others }> {
  const { generator, servers } = machine;
  const entries: Entry[] = [];
  for (const contestant of new Set([BASELINE, ...contestants])) {
    const server = servers.get(contestant.server);
    if (server === undefined) throw new Error(`there is no server ${contestant.server}`);
    entries.push(await checked(generator, contestant, page, server));
  }
  const warmUp = callsOf(page, options.warmUp, WARM_UP_BYTES);
  progress(`${page.label}: ${entries.length} contestants warm up`);
  for (const entry of entries) await measureBurst(generator, entry, warmUp, options.connections);
  const rounds: Round[] = [];
  progress(`${page.label}: ${options.rounds} rounds`);
  for (let round = 0; round < options.rounds; round++) {
    rounds.push(await measureRound(machine, entries, callsOf(page, options.calls, BURST_BYTES), options));
  }
  const { counted, leftOut } = quietHalf(rounds);
  const series = entries.map(({ contestant }, index) => ({
    contestant,
    page,
    rounds: counted.map(({ figures }) => figures[index] as Figures),
  }));
  return { series, others: { page: page.label, counted: span(counted), leftOut: leftOut && span(leftOut) } };
}

/**
 * Measures a round of several turns. In each turn every contestant has a burst, in random order, so that
 * disturbances affect all contestants alike.
 */
async function measureRound(
  { generator, all }: Processes,
  entries: readonly Entry[],
  calls: number,
  { turns, connections }: Options,
): Promise<Round> {
  const own = async () =>
    (await Promise.all(all.map((each) => each.cpu()))).reduce((sum, each) => sum + each, 0);
  const [ownBefore, before] = [await own(), machineTime()];
  const bursts = entries.map((): Figures[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const index of shuffled(entries.keys())) {
      bursts[index]?.push(await measureBurst(generator, entries[index] as Entry, calls, connections));
    }
  }
  const others = othersShare(before, machineTime(), (await own()) - ownBefore);
  return { figures: bursts.map(meanOf), others };
}

/**
 * Splits rounds into two halves by the load of other processes. With fewer than four rounds, all rounds
 * count.
 */
export function quietHalf<T extends Pick<Round, "others">>(
  rounds: readonly T[],
): { counted: readonly T[]; leftOut?: readonly T[] } {
  if (rounds.length < 4) return { counted: rounds };
  const sorted = rounds.toSorted((a, b) => a.others - b.others);
  const half = Math.ceil(rounds.length / 2);
  return { counted: sorted.slice(0, half), leftOut: sorted.slice(half) };
}

function span(rounds: readonly Round[]): [number, number] {
  const shares = rounds.map(({ others }) => others);
  return [Math.min(...shares), Math.max(...shares)];
}

/** Returns the indices in random order (Fisher-Yates). */
function shuffled(indices: Iterable<number>): number[] {
  const all = [...indices];
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [all[i], all[j]] = [all[j] as number, all[i] as number];
  }
  return all;
}

/** Returns the mean of bursts with the same number of calls. */
function meanOf(bursts: readonly Figures[]): Figures {
  const of = (read: (figures: Figures) => number) =>
    bursts.reduce((sum, figures) => sum + read(figures), 0) / bursts.length;
  return {
    // Calls per second are computed from the mean time, not from the mean rate.
    callsPerSecond: 1 / of(({ callsPerSecond }) => 1 / callsPerSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    cpuMicroseconds: of(({ cpuMicroseconds }) => cpuMicroseconds),
  };
}
