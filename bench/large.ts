/**
 * `npm run bench -- large`: measures how long a page of 6,400 posts blocks the gateway's event loop, and how
 * much memory the page needs.
 */
import { type Contestant, GATEWAY } from "./contestants.ts";
import type { Target } from "./load/connection.ts";
import { isUsual, isWanted, type Options } from "./options.ts";
import { largePage, PAGES, type Page } from "./pages.ts";
import { LoadProcess, ServerProcess } from "./processes.ts";
import { progress } from "./progress.ts";
import type { Held, Resident } from "./servers/large-gateway.ts";
import { median } from "./statistics.ts";

/** The figures of one kind of call for a large page. */
export interface LargeFigures {
  readonly name: string;
  readonly pageBytes: number;
  /** The longest event-loop turn over all calls, in milliseconds of the main thread's processor time. */
  readonly heldMs: number;
  /**
   * The longest event-loop turn in wall-clock time, as the median over the calls. Includes the time of other
   * processes on the machine.
   */
  readonly heldWallMs: number;
  /**
   * The peak of resident memory during one call, without the memory of the idle process, in multiples of the
   * page's size.
   */
  readonly memory: number;
  /** The peak during nine consecutive calls, which leave garbage, in the same unit. */
  readonly memoryInARow: number;
}

/** The contestants that are measured by default. */
const USUAL: readonly string[] = ["Connect proto", "Connect JSON"];

/** The number of calls with small pages before the measurement, and the number of measured calls. */
const WARM_UP = 3000;
const CALLS = 9;

/**
 * Measures sequential calls in a process that has already served small pages, and then the memory of the
 * process during another call.
 */
export async function measureLarge(options: Options): Promise<LargeFigures[]> {
  const wanted = GATEWAY.filter(({ name }) => isWanted(options, `large ${name}`)).filter(
    ({ encoding = "" }) => !isUsual(options, "large") || USUAL.includes(encoding),
  );
  if (wanted.length === 0) return [];
  const page = largePage();
  const upstream = await ServerProcess.start("upstream");
  const generator = await LoadProcess.start();
  try {
    const figures: LargeFigures[] = [];
    for (const contestant of wanted) {
      progress(`large: ${contestant.name}`);
      const measured = <T>(measure: (call: () => Promise<void>, server: ServerProcess) => Promise<T>) =>
        withServer(generator, upstream, contestant, page, measure);
      const held = await measured(heldBy);
      const memory = await measured(memoryOf);
      figures.push({
        name: contestant.name,
        pageBytes: page.json.length,
        heldMs: Math.max(...held.map(({ cpuMs }) => cpuMs)),
        heldWallMs: median(held.map(({ wallMs }) => wallMs)),
        memory: memory.one / page.json.length,
        memoryInARow: memory.inARow / page.json.length,
      });
    }
    return figures;
  } finally {
    await Promise.all([upstream.stop(), generator.stop()]);
  }
}

/**
 * Starts a gateway and warms it up with small pages. The callback receives a function that requests the large
 * page and checks the response.
 */
async function withServer<T>(
  generator: LoadProcess,
  upstream: ServerProcess,
  contestant: Contestant,
  page: Page,
  measure: (call: () => Promise<void>, server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await ServerProcess.start("large-gateway", [`http://127.0.0.1:${upstream.port("http1")}`]);
  try {
    const { protocol } = contestant;
    const targetOf = (each: Page): Target => ({
      protocol,
      port: server.port(protocol),
      ...contestant.request(each),
    });
    const small = PAGES.find(({ label }) => label === "25 KB varied") ?? page;
    const bodyBytes = (await generator.probe(targetOf(small))).length;
    const burst = { key: "large", target: targetOf(small), connections: 8, calls: WARM_UP, bodyBytes };
    await generator.burst(burst);
    await generator.close();
    return await measure(async () => {
      const problem = contestant.check(await generator.probe(targetOf(page)), page);
      if (problem !== undefined) {
        throw new Error(`${contestant.name}, ${page.label}: the response is not right: ${problem}`);
      }
    }, server);
  } finally {
    await server.stop();
  }
}

async function heldBy(call: () => Promise<void>, server: ServerProcess): Promise<Held[]> {
  const held: Held[] = [];
  for (let i = 0; i < CALLS; i++) {
    await server.ask("startWatching");
    await call();
    held.push(await server.ask<Held>("stopWatching"));
  }
  return held;
}

/** Returns the largest growth of resident memory, in bytes. */
async function memoryOf(
  call: () => Promise<void>,
  server: ServerProcess,
): Promise<{ one: number; inARow: number }> {
  await server.ask("settle");
  const { now } = await server.ask<Resident>("resident");
  await call();
  const { peak } = await server.ask<Resident>("resident");
  for (let i = 1; i < CALLS; i++) await call();
  const { peak: later } = await server.ask<Resident>("resident");
  return { one: peak - now, inARow: Math.max(peak, later) - now };
}
