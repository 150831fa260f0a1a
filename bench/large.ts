/** `npm run bench -- large`: how long a page of 6,400 posts holds the gateway, and what memory it takes. */
import { type Contestant, GATEWAY } from "./contestants.ts";
import type { Target } from "./load/connection.ts";
import { isUsual, isWanted, type Options } from "./options.ts";
import { largePage, PAGES, type Page } from "./pages.ts";
import { LoadProcess, ServerProcess } from "./processes.ts";
import { progress } from "./progress.ts";
import type { Held, Resident } from "./servers/large-gateway.ts";
import { median } from "./statistics.ts";

/** What calls of one kind for a large page came to. */
export interface LargeFigures {
  readonly name: string;
  readonly pageBytes: number;
  /**
   * The longest turn of the event loop in any of the calls, in milliseconds of
   * the main thread's processor time.
   */
  readonly heldMs: number;
  /**
   * The longest turn in time that passed, the median of the calls: other processes of the machine add to it.
   */
  readonly heldWallMs: number;
  /**
   * By how much resident memory exceeded that of the idle process at most during one call,
   * in multiples of the page.
   */
  readonly memory: number;
  /** The same during nine calls, one after the other, which leave garbage behind. */
  readonly memoryInARow: number;
}

/** What is called where nothing is asked for. */
const USUAL: readonly string[] = ["Connect proto", "Connect JSON"];

/** Calls that are made before, with small pages, and those that are measured. */
const WARM_UP = 3000;
const CALLS = 9;

/**
 * Measures calls, one at a time, in a process that has served small pages before;
 * its memory in one more of the same.
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
 * Starts a gateway, has it serve small pages, and hands on a call for the large one,
 * whose response is compared.
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

/** By how much resident memory grew at most, in bytes. */
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
