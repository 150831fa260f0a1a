/** `npm run bench -- reliability`: measures the gateway while its peers misbehave. */
import { fork } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { ATTACKS } from "./attacks/index.ts";
import { measureAfterBurst } from "./reliability/after-burst.ts";
import { measureAttack } from "./reliability/attacked.ts";
import { measureBodies } from "./reliability/bodies.ts";
import { measureBombs } from "./reliability/bombs.ts";
import { measureCallers } from "./reliability/callers.ts";
import { measureConnections } from "./reliability/connections.ts";
import { measureCosts } from "./reliability/costs.ts";
import { measureDeadlines } from "./reliability/deadlines.ts";
import { measureDrain } from "./reliability/drain.ts";
import { measureFairness } from "./reliability/fairness.ts";
import { type Figure, figureLines, holds, type Scenario } from "./reliability/figure.ts";
import { measureFloods } from "./reliability/floods.ts";
import { measureKilledWorkers } from "./reliability/killed-workers.ts";
import { measureLeaks } from "./reliability/leaks.ts";
import { measureOverload } from "./reliability/overload.ts";
import { measureShares } from "./reliability/shares.ts";
import { measureSignals } from "./reliability/signals.ts";
import { measureSlowPeers } from "./reliability/slow-peers.ts";
import { measureUnread } from "./reliability/unread.ts";
import { measureUnreadLog } from "./reliability/unread-log.ts";
import { measureBreaker, measureRetries } from "./reliability/upstream-down.ts";

function help(): string {
  return `Usage: npm run bench -- reliability [options]

Measures the gateway while its peers misbehave, and a server with connect-node, undici and their defaults for
comparison. The exit status is 1 if a bound is exceeded.

  --only <names>  several separated by commas: ${namesOf(scenarios(0))}
  --burner        burn one core in another process
  --calls <n>     calls for the heap (default 100000)
  --json          print JSON instead of lines
  --help          show this help
`;
}

/** The result of a run. */
export interface Reliability {
  /** The text to print. */
  readonly text: string;
  readonly holds: boolean;
}

/**
 * Runs `npm run bench -- reliability`.
 *
 * @throws Error that names the mistake in the command line
 */
export async function benchReliability(args: readonly string[]): Promise<Reliability> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", default: "" },
      calls: { type: "string", default: "100000" },
      burner: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return { text: help(), holds: true };
  using _burner = values.burner ? startBurner() : undefined;
  const figures: Figure[] = [];
  const run = async ({ name, measure }: Scenario) => {
    const startedAt = performance.now();
    const measured = await measure().catch((error: unknown) => [broken(name, error)]);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(`${name}, ${seconds} s: ${verdictOf(measured)}\n`);
    figures.push(...measured);
  };
  const all = wanted(values.only, scenarios(callsOf(values.calls)));
  for (const scenario of all.filter(({ waits }) => waits !== true)) await run(scenario);
  await Promise.all(all.filter(({ waits }) => waits === true).map(run));
  const text = values.json ? JSON.stringify(figures.map(judged), null, 2) : figureLines(figures);
  return { text, holds: figures.every(holds) };
}

/** Returns a figure for a scenario that failed, so that the figures of other scenarios are not lost. */
function broken(scenario: string, error: unknown): Figure {
  const name = `${scenario}: ${error instanceof Error ? error.message : String(error)}`;
  return { name, unit: "", value: Number.NaN, bound: { atMost: 0 } };
}

/** Returns a scenario's verdict for the progress output. */
function verdictOf(figures: readonly Figure[]): string {
  const failed = figures.filter((figure) => !holds(figure));
  return failed.length === 0
    ? `all ${figures.length} hold`
    : `${failed.length} of ${figures.length} fail\n${figureLines(failed)}`;
}

function scenarios(calls: number): Scenario[] {
  return [
    { name: "bombs", measure: measureBombs },
    { name: "costs", measure: measureCosts },
    { name: "unread", measure: measureUnread },
    { name: "memory", measure: measureAfterBurst, waits: true },
    { name: "log", measure: measureUnreadLog },
    { name: "fairness", measure: measureFairness },
    { name: "shares", measure: measureShares },
    { name: "floods", measure: measureFloods },
    { name: "retries", measure: measureRetries },
    { name: "breaker", measure: measureBreaker },
    { name: "overload", measure: measureOverload },
    { name: "drain", measure: measureDrain },
    { name: "slow", measure: measureSlowPeers, waits: true },
    { name: "deadlines", measure: measureDeadlines },
    { name: "bodies", measure: measureBodies },
    { name: "callers", measure: measureCallers },
    { name: "connections", measure: measureConnections },
    { name: "workers", measure: measureKilledWorkers },
    { name: "signals", measure: measureSignals },
    ...ATTACKS.map((attack) => ({ name: attack.name, measure: () => measureAttack(attack) })),
    { name: "heap", measure: () => measureLeaks(calls) },
  ];
}

function wanted(only: string, all: readonly Scenario[]): readonly Scenario[] {
  const names = only.split(",").map((name) => name.trim());
  if (only === "") return all;
  const unknown = names.find((name) => !all.some((scenario) => scenario.name === name));
  if (unknown === undefined) return all.filter(({ name }) => names.includes(name));
  throw new Error(`--only: expected ${namesOf(all)}, got ${JSON.stringify(unknown)}`);
}

function namesOf(all: readonly Scenario[]): string {
  return all.map(({ name }) => name).join(", ");
}

/** Starts a process that uses one core fully. */
function startBurner(): Disposable {
  const child = fork(path.join(import.meta.dirname, "servers/burner.ts"));
  return { [Symbol.dispose]: () => void child.kill("SIGKILL") };
}

function callsOf(text: string): number {
  const calls = Number(text);
  if (Number.isInteger(calls) && calls >= 100) return calls;
  throw new Error(`--calls: expected a whole number from 100, got ${JSON.stringify(text)}`);
}

function judged(figure: Figure) {
  return { ...figure, holds: holds(figure) };
}
