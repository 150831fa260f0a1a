import { CONTESTANTS, type Contestant } from "./contestants.ts";
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
  /** Processor time that the server took for a call. */
  readonly cpuMicroseconds: number;
}

/** The measurements of a contestant with one page, one for each round. */
export interface Series {
  readonly contestant: Contestant;
  readonly page: Page;
  readonly rounds: readonly Figures[];
}

/** How long a contestant runs unmeasured before the first round, in seconds. */
const WARM_UP_SECONDS = 0.7;

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
 * @throws Error when an response is not right, before or while measuring
 */
export async function measureCalls(options: Options): Promise<Series[]> {
  const wanted = PAGES.flatMap((page) =>
    CONTESTANTS.filter(({ name }) => isWanted(options, `${name} ${page.label}`)).map((contestant) => ({
      contestant,
      page,
    })),
  );
  if (wanted.length === 0) return [];
  const started: { stop(): Promise<void> }[] = [];
  try {
    const upstream = await ServerProcess.start("upstream");
    started.push(upstream);
    const generator = await LoadProcess.start();
    started.push(generator);
    const servers = new Map<string, ServerProcess>();
    for (const name of new Set(wanted.map(({ contestant }) => contestant.server))) {
      const server = await ServerProcess.start(name, [`http://127.0.0.1:${upstream.port("http1")}`]);
      started.push(server);
      servers.set(name, server);
    }
    const entries: Entry[] = [];
    for (const { contestant, page } of wanted) {
      const server = servers.get(contestant.server);
      if (server !== undefined) entries.push(await checked(generator, contestant, page, server));
    }
    return await measureInTurn(generator, entries, options);
  } finally {
    await Promise.all(started.map((each) => each.stop()));
  }
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

async function measureInTurn(
  generator: LoadProcess,
  entries: readonly Entry[],
  { seconds, rounds, connections }: Options,
): Promise<Series[]> {
  const warmUp = Math.min(WARM_UP_SECONDS, seconds);
  for (const entry of entries) await measure(generator, entry, warmUp, connections);
  const series = entries.map(({ contestant, page }) => ({ contestant, page, rounds: [] as Figures[] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, entry] of entries.entries()) {
      series[index]?.rounds.push(await measure(generator, entry, seconds, connections));
    }
  }
  return series;
}

async function measure(
  generator: LoadProcess,
  { contestant, page, server, target, bodyBytes }: Entry,
  seconds: number,
  connections: number,
): Promise<Figures> {
  const before = await server.cpu();
  const load = await generator.load({ target, connections, seconds, bodyBytes });
  const after = await server.cpu();
  if (load.wrong > 0) {
    throw new Error(
      `${contestant.name}, ${page.label}: ${load.wrong} of ${load.calls} responses are not right`,
    );
  }
  return {
    callsPerSecond: load.calls / load.seconds,
    p50Ms: load.p50Ms,
    p99Ms: load.p99Ms,
    cpuMicroseconds: (after - before) / load.calls,
  };
}
