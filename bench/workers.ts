/** `npm run bench -- workers`: measures the benefit of a second worker process, on two processors. */
import { GATEWAY } from "./contestants.ts";
import type { Burst } from "./load/generator.ts";
import { isUsual, isWanted, type Options } from "./options.ts";
import { PAGES } from "./pages.ts";
import { LoadProcess, ServerProcess } from "./processes.ts";
import { type ProcessorTime, processorTimes } from "./processor-times.ts";
import { progress } from "./progress.ts";
import { type Command, startCommand } from "./reliability/command.ts";
import { type Estimate, estimate } from "./statistics.ts";

/** The figures of two workers compared with one worker. */
export interface WorkerFigures {
  readonly name: string;
  /** Measured calls per second, while the load generator and the upstream use the same processors. */
  readonly wall: Estimate;
  /**
   * Calls per second that the workers could serve with two dedicated processors. The figure is computed from
   * their processor time: a single worker has one processor for its main thread, and two workers share the
   * calls as unevenly as measured. Undefined without /proc.
   */
  readonly capacity: Estimate | undefined;
}

/** The measured page, and the number of calls per burst. */
const PAGE = "25 KB varied";
const CALLS = 2048;
const WARM_UP = 12_000;
/**
 * Enough connections for an approximately even random distribution. Each burst opens new connections, because
 * the result of a fixed distribution would depend on chance.
 */
const CONNECTIONS = 64;

/** Measures `connect-rest serve` with one worker and with two workers in turn. */
export async function measureWorkers(options: Options): Promise<WorkerFigures[]> {
  const wanted = GATEWAY.filter(({ encoding = "" }) => isWanted(options, `workers ${encoding}`));
  const chosen = isUsual(options, "workers") ? wanted.slice(0, 1) : wanted;
  const page = PAGES.find(({ label }) => label === PAGE);
  if (chosen.length === 0 || page === undefined) return [];
  const upstream = await ServerProcess.start("upstream");
  const generator = await LoadProcess.start();
  try {
    const url = `http://127.0.0.1:${upstream.port("http1")}`;
    await using one = await startCommand(url, { observed: true, workers: 1 });
    await using two = await startCommand(url, { observed: true, workers: 2 });
    const figures: WorkerFigures[] = [];
    for (const { name, protocol, request } of chosen) {
      progress(`workers: ${name}`);
      const runOf = async (command: Command) => {
        const target = { protocol, port: command.port, ...request(page) };
        const bodyBytes = (await generator.probe(target)).length;
        const job = { key: `workers ${command.port}`, target, connections: CONNECTIONS, bodyBytes };
        await generator.burst({ ...job, calls: WARM_UP });
        return async () => {
          await generator.close();
          return await measured(command, () => generator.burst({ ...job, calls: CALLS }));
        };
      };
      figures.push({ name, ...(await compare(await runOf(one), await runOf(two), options.rounds)) });
      await generator.close();
    }
    return figures;
  } finally {
    await Promise.all([upstream.stop(), generator.stop()]);
  }
}

/** Calls per second, as measured and with dedicated processors. */
interface Rates {
  readonly wall: number;
  readonly capacity: number | undefined;
}

async function compare(
  one: () => Promise<Rates>,
  two: () => Promise<Rates>,
  rounds: number,
): Promise<Omit<WorkerFigures, "name">> {
  const walls: number[] = [];
  const capacities: number[] = [];
  for (let round = 0; round < rounds; round++) {
    // Each configuration is measured first in every other round.
    const [first, second] = round % 2 === 0 ? [one, two] : [two, one];
    const [a, b] = [await first(), await second()];
    const [single, double] = round % 2 === 0 ? [a, b] : [b, a];
    walls.push(double.wall / single.wall);
    if (single.capacity !== undefined && double.capacity !== undefined) {
      capacities.push(double.capacity / single.capacity);
    }
  }
  return { wall: estimate(walls), capacity: capacities.length > 0 ? estimate(capacities) : undefined };
}

async function measured({ process: { pid = 0 } }: Command, run: () => Promise<Burst>): Promise<Rates> {
  const before = processorTimes(pid);
  const { calls, seconds, wrong } = await run();
  const after = processorTimes(pid);
  if (wrong > 0) throw new Error(`workers: ${wrong} of ${calls} responses are not right`);
  return { wall: calls / seconds, capacity: before && after && capacityOf(calls, before, after) };
}

/**
 * Returns the capacity of two processors: each main thread uses at most one processor, and all threads
 * together use at most two.
 */
function capacityOf(
  calls: number,
  before: ReadonlyMap<number, ProcessorTime>,
  after: ReadonlyMap<number, ProcessorTime>,
): number {
  const spent = [...after].map(([pid, { main, all }]) => {
    const { main: mainBefore, all: allBefore } = before.get(pid) ?? { main: 0, all: 0 };
    return { main: main - mainBefore, all: all - allBefore };
  });
  const busiest = Math.max(...spent.map(({ main }) => main));
  const together = spent.reduce((sum, { all }) => sum + all, 0);
  return calls / Math.max(busiest, together / 2);
}
