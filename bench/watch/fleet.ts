import { NO_REDIS, startRedis } from "../../gateway/src/testing/redis.ts";
import { WatchGateway } from "./gateway.ts";
import { messageOf, PATH, request } from "./request.ts";
import { type FeedUpstream, startFeedUpstream } from "./upstream.ts";
import { Watchers } from "./watchers.ts";

const WATCHERS = 100;
/** The interval between events in milliseconds. Polls are a second apart. */
const EVENT_MS = 100;

/** The effect of a crash of the polling process on watchers. */
export interface FleetFigures {
  readonly watchers: number;
  readonly events: number;
  /**
   * The time from the crash to the first poll by the other process, in milliseconds. Polls are a second
   * apart.
   */
  readonly takeOverMs: number;
  /** The number of events that watchers missed, and the number that they received more than once. */
  readonly lost: number;
  readonly repeated: number;
}

/**
 * A client that watches with consecutive streams, and keeps the received events and the position at which to
 * resume.
 */
class Client {
  readonly ids: number[] = [];
  token = "";

  take(bytes: Uint8Array): void {
    const { ids, token } = messageOf(bytes);
    this.ids.push(...ids);
    this.token = token;
  }
}

/**
 * Runs two gateways on one Redis, kills the polling gateway, and lets its watchers reconnect to the other
 * one.
 */
export async function measureFleet(): Promise<FleetFigures | undefined> {
  if (NO_REDIS !== undefined) return undefined;
  const redis = await startRedis();
  const upstream = await startFeedUpstream(1);
  const bus = `redis://127.0.0.1:${redis.port}`;
  const start = (name: string) => WatchGateway.start([upstream.url, "fast", name, bus]);
  const gateways = { one: await start("one"), two: await start("two") };
  const opened: Watchers[] = [];
  const clients = { one: clientsOf(), two: clientsOf() };
  const watch = async (name: "one" | "two", all: readonly Client[], token = false) => {
    for (const client of all) {
      const watchers = new Watchers((_stream, message) => client.take(message));
      opened.push(watchers);
      await watchers.open(gateways[name].port, PATH, request({ resumeToken: token ? client.token : "" }), 1);
      if (!token) await watchers.until(1);
    }
  };
  try {
    await watch("one", clients.one);
    await watch("two", clients.two);
    const first = upstream.newest;
    const stop = addEvents(upstream);
    await upstream.add(0);
    await pause(3000);
    const [dead, alive] = upstream.polledBy === "one" ? (["one", "two"] as const) : (["two", "one"] as const);
    const next = upstream.nextBy(dead);
    await gateways[dead].kill();
    const killedAt = performance.now();
    const goOn = watch(alive, clients[dead], true);
    const takeOverMs = (await next) - killedAt;
    await goOn;
    await pause(3000);
    stop();
    const last = upstream.newest;
    const all = [...clients.one, ...clients.two];
    await until(() => all.every(({ ids }) => ids.includes(last)), 20_000);
    const events = last - first;
    const counts = all.map(
      ({ ids }) => new Map(ids.map((id) => [id, ids.filter((each) => each === id).length])),
    );
    const lost = counts.reduce(
      (sum, count) => sum + events - [...count.keys()].filter((id) => id > first).length,
      0,
    );
    const repeated = all.reduce((sum, { ids }) => sum + ids.length - new Set(ids).size, 0);
    return { watchers: all.length, events, takeOverMs, lost, repeated };
  } finally {
    for (const watchers of opened) watchers.close();
    await Promise.all([gateways.one.kill(), gateways.two.kill()]);
    await Promise.all([upstream.close(), redis.close()]);
  }
}

function clientsOf(): Client[] {
  return Array.from({ length: WATCHERS }, () => new Client());
}

function addEvents(upstream: FeedUpstream): () => void {
  const timer = setInterval(() => void upstream.add(1), EVENT_MS);
  return () => clearInterval(timer);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function until(holds: () => boolean, ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (!holds() && performance.now() < end) await pause(50);
}
