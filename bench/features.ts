/**
 * `npm run bench -- features`: measures what the console, explanations and tools cost while nobody uses
 * them.
 */
import { parseArgs } from "node:util";
import { GATEWAY } from "./contestants.ts";
import { wholeIn } from "./options.ts";
import { PAGES } from "./pages.ts";
import { LoadProcess, ServerProcess } from "./processes.ts";
import { processorTimes } from "./processor-times.ts";
import { progress } from "./progress.ts";
import { type Command, type CommandSettings, startCommand } from "./reliability/command.ts";
import { type Estimate, estimate, median, pairedRatios } from "./statistics.ts";

/** The settings of the two gateways. */
const OFF = { server: { console: false, explain: false } };
const ON = { server: { console: true, explain: true }, settings: { mcp: { path: "/mcp" } } };

const PAGE = "1 KB";
const CALLS = 1000;
/** The rounds of bursts before the measurement, and in the measurement. */
const WARM_UP = 6;
const ROUNDS = 5;
const CONNECTIONS = 16;

/** The upper end of each interval is at most this ratio. */
const AT_MOST = 1.03;

/** Ratios of processor time: with the features to without. */
interface Ratios {
  readonly start: number;
  readonly calls: number;
}

/** Returns ratios of processor time with the features to without: of a start, and of a call. */
export async function benchFeatures(args: readonly string[]): Promise<{ text: string; holds: boolean }> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: "string", default: "11" } } });
  const rounds = wholeIn("--rounds", values.rounds, 1, 99);
  const upstream = await ServerProcess.start("upstream");
  const generator = await LoadProcess.start();
  const ratios: Ratios[] = [];
  try {
    const url = `http://127.0.0.1:${upstream.port("http1")}`;
    for (let round = 0; round < rounds; round++) {
      progress(`features: round ${round + 1} of ${rounds}`);
      ratios.push(await ratiosOf(url, generator, round % 2 === 1));
    }
  } finally {
    await Promise.all([upstream.stop(), generator.stop()]);
  }
  const start = estimate(ratios.map((ratio) => ratio.start));
  const calls = estimate(ratios.map((ratio) => ratio.calls));
  const text = [lineOf("start", start), lineOf(`a call, Connect proto ${PAGE}`, calls)].join("\n");
  return { text, holds: start.high <= AT_MOST && calls.high <= AT_MOST };
}

/** Starts both gateways, and measures bursts of calls in turn. */
async function ratiosOf(upstream: string, generator: LoadProcess, isOnFirst: boolean): Promise<Ratios> {
  const commands: Command[] = [];
  const startOf = async (settings: CommandSettings) => {
    const command = await startCommand(upstream, settings);
    commands.push(command);
    return { start: secondsOf(command), burst: await burstOf(command, generator) };
  };
  try {
    const first = await startOf(isOnFirst ? ON : OFF);
    const second = await startOf(isOnFirst ? OFF : ON);
    const [on, off] = isOnFirst ? [first, second] : [second, first];
    // Both are warmed up in turn, as they are measured.
    await pairedRatios(off.burst, on.burst, WARM_UP);
    const calls = median(await pairedRatios(off.burst, on.burst, ROUNDS));
    await generator.close();
    return { start: on.start / off.start, calls };
  } finally {
    for (const command of commands) await command[Symbol.asyncDispose]();
  }
}

/** Returns a function that makes a burst of calls, and returns its processor time in seconds. */
async function burstOf(command: Command, generator: LoadProcess): Promise<() => Promise<number>> {
  const page = PAGES.find(({ label }) => label === PAGE);
  const contestant = GATEWAY[0];
  if (page === undefined || contestant === undefined) throw new Error(`features: no page of ${PAGE}`);
  const target = { protocol: contestant.protocol, port: command.port, ...contestant.request(page) };
  const bodyBytes = (await generator.probe(target)).length;
  const job = { key: `features ${command.port}`, target, connections: CONNECTIONS, bodyBytes };
  return async () => {
    const before = secondsOf(command);
    const { wrong } = await generator.burst({ ...job, calls: CALLS });
    if (wrong > 0) throw new Error(`features: ${wrong} of ${CALLS} responses are not right`);
    return secondsOf(command) - before;
  };
}

/** Returns the accumulated processor time of a command, in seconds. */
function secondsOf({ process: { pid = 0 } }: Command): number {
  const times = processorTimes(pid);
  if (times === undefined) throw new Error("features: processor time is measured with /proc, i.e. on Linux");
  return [...times.values()].reduce((sum, { all }) => sum + all, 0);
}

function lineOf(name: string, { median: middle, low, high }: Estimate): string {
  const verdict = high <= AT_MOST ? "holds" : "FAILS";
  const interval = `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
  return `${verdict}  ${name}: processor time with console, explanations and tools / without: ${middle.toFixed(3)} ${interval}`;
}
