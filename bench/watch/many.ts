import { WatchGateway } from "./gateway.ts";
import { PATH, request } from "./request.ts";
import { type FeedUpstream, startFeedUpstream } from "./upstream.ts";
import { Watchers } from "./watchers.ts";

/** The number of watchers before the measurement, so that the process has already reached its base size. */
const WARM_UP = 2000;
const EVENTS = 5;

/** The cost of many watchers of one feed. */
export interface ManyFigures {
  readonly path: "fast" | "connect";
  readonly watchers: number;
  /** Resident memory per watcher, in bytes. */
  readonly resident: number;
  readonly heap: number;
  /** The number of polls while events arrived, and the number of polling intervals. */
  readonly polls: number;
  readonly intervals: number;
  /** The median time from a poll's response to the last delivery, in milliseconds. */
  readonly deliveryMs: number;
  /** The gateway's processor time per delivered event, in microseconds. */
  readonly cpuMicroseconds: number;
}

/** Opens many streams that watch one feed over HTTP/2 from one address, and adds events one at a time. */
export async function measureMany(path: ManyFigures["path"], count: number): Promise<ManyFigures> {
  const upstream = await startFeedUpstream(1);
  const gateway = await WatchGateway.start([upstream.url, path]);
  const watchers = new Watchers();
  try {
    await warmUp(gateway);
    const before = await gateway.usage();
    await watchers.open(gateway.port, PATH, request(), count);
    await watchers.until(count);
    const after = await gateway.usage();
    const delivered = await deliver(gateway, upstream, watchers, count);
    if (watchers.ended > 0) throw new Error(`${watchers.ended} of ${count} streams have ended`);
    return {
      path,
      watchers: count,
      resident: (after.resident - before.resident) / count,
      heap: (after.heap - before.heap) / count,
      ...delivered,
    };
  } finally {
    watchers.close();
    await gateway.kill();
    await upstream.close();
  }
}

async function warmUp(gateway: WatchGateway): Promise<void> {
  const watchers = new Watchers();
  await watchers.open(gateway.port, PATH, request(), WARM_UP);
  await watchers.until(WARM_UP);
  watchers.close();
}

async function deliver(gateway: WatchGateway, upstream: FeedUpstream, watchers: Watchers, count: number) {
  const { cpu } = await gateway.usage();
  const startedAt = performance.now();
  const { polls } = upstream;
  const times: number[] = [];
  for (let event = 0; event < EVENTS; event++) {
    const expected = watchers.messages + count;
    const answeredAt = await upstream.add(1);
    await watchers.until(expected);
    times.push(watchers.lastAt - answeredAt);
  }
  const intervals = (performance.now() - startedAt) / 1000;
  const used = (await gateway.usage()).cpu - cpu;
  return {
    polls: upstream.polls - polls,
    intervals: Math.ceil(intervals),
    deliveryMs: times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN,
    cpuMicroseconds: used / (EVENTS * count),
  };
}
