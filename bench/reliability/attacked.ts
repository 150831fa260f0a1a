import { type Attack, pause } from "../attacks/attack.ts";
import { percentile } from "../statistics.ts";
import { type Attacker, startAttacker } from "./attacker.ts";
import { turnFigure } from "./control.ts";
import type { Figure } from "./figure.ts";
import { type Others, othersOf } from "./others.ts";
import { forkUpstream, Subject } from "./world.ts";

const WARM_UP = 100;
/** The time for which other clients call before and during the attack, in milliseconds. */
const QUIET_MS = 1000;
const BESIDE_MS = 3000;
/** The time until the attack has begun, in milliseconds. */
const BEGIN_MS = 500;
/** The time for which the attack runs alone to measure its cost, in milliseconds. */
const ALONE_MS = 1000;

/**
 * Measures an attack: all calls of other clients must succeed, their median latency must stay near the value
 * before the attack, and no event-loop turn may be long. The bounds are not wall-clock times, because these
 * depend on the machine.
 */
export async function measureAttack(attack: Attack): Promise<Figure[]> {
  using upstream = await forkUpstream("attacked-upstream");
  await using gateway = await Subject.startAttacked(upstream.url, attack.serves);
  using others = await othersOf(attack, gateway.port);
  for (let count = 0; count < WARM_UP; count++) await others.make();
  const cpuBefore = await gateway.cpuMs();
  const quiet = await callFor(QUIET_MS, others);
  const callMs = ((await gateway.cpuMs()) - cpuBefore) / quiet.times.length;
  await gateway.longestTurn();
  using attacker = await startAttacker("attacker", attack.name, gateway.port);
  await pause(BEGIN_MS);
  const beside = await callFor(BESIDE_MS, others);
  const turnMs = await gateway.longestTurn();
  const done = await attacker.done();
  if (done === 0) throw new Error(`the attack never began: ${attack.does}`);
  const { does, slower, costs } = attack;
  return [
    {
      name: `calls failed during ${does}`,
      unit: "",
      value: beside.failed,
      bound: { atMost: 0 },
      beside: { done },
    },
    {
      name: `median of calls during ${does}`,
      unit: "x",
      value: at(0.5, beside) / at(0.5, quiet),
      bound: { atMost: slower },
      beside: { "ms without": at(0.5, quiet), "ms with": at(0.5, beside), "p95 with": at(0.95, beside) },
    },
    turnFigure(`longest turn during ${does}`, turnMs),
    ...(costs === undefined
      ? []
      : [
          {
            name: `processor time of ${costs.what}`,
            unit: "calls",
            value: (await costMs(gateway, attacker)) / callMs,
            bound: { atMost: costs.calls },
          },
        ]),
  ];
}

interface Calls {
  readonly times: readonly number[];
  readonly failed: number;
}

/** Makes sequential calls for some time. */
async function callFor(ms: number, { make }: Others): Promise<Calls> {
  const times: number[] = [];
  let failed = 0;
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const startedAt = performance.now();
    if (!(await make())) failed++;
    times.push(performance.now() - startedAt);
  }
  return { times, failed };
}

function at(share: number, { times }: Calls): number {
  return percentile(
    times.toSorted((a, b) => a - b),
    share,
  );
}

/** Returns the processor time of one step of the attacker while no other client calls. */
async function costMs(gateway: Subject, attacker: Attacker): Promise<number> {
  const [cpu, done] = [await gateway.cpuMs(), await attacker.done()];
  await pause(ALONE_MS);
  return ((await gateway.cpuMs()) - cpu) / ((await attacker.done()) - done);
}
