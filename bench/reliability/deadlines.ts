import { quietest } from "../statistics.ts";
import { type CallResponse, call, calls, DEAF, LIST_POSTS } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, startUpstream } from "./world.ts";

const DEADLINE_MS = 200;
const GIVE_UP_MS = 2000;

/** Measures the delay of responses after their deadline. */
export async function measureDeadlines(): Promise<Figure[]> {
  await using upstream = await startUpstream(() => undefined);
  const settings = { upstream: upstream.url, options: { breaker: false } } as const;
  await using gateway = await Subject.start("reliable-gateway", settings);
  await using bare = await Subject.start("bare", { upstream: upstream.url });
  const figures: Figure[] = [];
  for (const [who, path] of [
    ["an upstream that never responds", LIST_POSTS],
    ["a handler deaf to its signal", DEAF],
  ] as const) {
    const ours = await lateness(gateway.port, path, 5);
    // Most of these calls end only when the client gives up.
    const theirs = await lateness(bare.port, path, 1, 40);
    for (const [label, share] of [
      ["p50", 0.5],
      ["p99", 0.99],
    ] as const) {
      figures.push({
        name: `response after the deadline, ${who}, ${label}`,
        unit: "ms",
        value: quietest(ours, share),
        bound: { atMost: 50 },
        beside: { bare: latenessText(quietest(theirs, share)) },
      });
    }
  }
  return figures;
}

function latenessText(ms: number): number | string {
  return ms >= GIVE_UP_MS - DEADLINE_MS ? "never" : ms;
}

/** Returns the delay of responses after their deadline, measured in rounds. */
async function lateness(port: number, path: string, count: number, atOnce = 10): Promise<number[][]> {
  const headers = { "connect-timeout-ms": String(DEADLINE_MS) };
  const make = (): Promise<CallResponse> =>
    call(port, { path, headers, signal: AbortSignal.timeout(GIVE_UP_MS) });
  const rounds: number[][] = [];
  await calls(10, 10, make);
  for (let round = 0; round < count; round++) {
    rounds.push((await calls(100, atOnce, make)).map(({ ms }) => ms - DEADLINE_MS));
  }
  return rounds;
}
