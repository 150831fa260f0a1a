import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { Secret } from "connect-rest-runtime";
import { afterEach, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../gateway/src/gateway.ts";
import { createLogger } from "../../gateway/src/log/logger.ts";
import {
  type Cable,
  layCable,
  NO_REDIS,
  startRedis,
  type TestRedis,
} from "../../gateway/src/testing/redis.ts";
import { FeedService, feedService } from "../../runtime/src/testing/feed-service.ts";
import { Timeline } from "../../runtime/src/testing/timeline.ts";

const POLL = { timeout: 120_000, interval: 20 };
const eventually = (read: () => unknown) => expect.poll(read, POLL);
const KEY = new Secret("0123456789abcdef0123456789abcdef");
/** The duration of an outage in polls. Polls are a second apart. */
const OUTAGE_POLLS = 10;

let redis: TestRedis | undefined;
let cables: Cable[] = [];
let gateways: Gateway[] = [];
let left = new AbortController();

afterEach(async () => {
  left.abort();
  left = new AbortController();
  await Promise.all(gateways.map((gateway) => gateway.close({ skipNotice: true })));
  await Promise.all(cables.map((cable) => cable.close()));
  [gateways, cables] = [[], []];
  await redis?.close();
  redis = undefined;
});

/** A client that watches with one stream, which must not end. */
class Watcher {
  readonly ids: number[] = [];
  gaps = 0;
  hasStarted = false;
  error: unknown;

  constructor(url: string) {
    void this.read(url);
  }

  private async read(baseUrl: string): Promise<void> {
    const client = createClient(FeedService, createGrpcTransport({ baseUrl }));
    try {
      for await (const { entries, gap } of client.watch({ owner: "ada" }, { signal: left.signal })) {
        this.hasStarted = true;
        this.ids.push(...entries.map(({ id }) => Number(id)));
        if (gap) this.gaps += 1;
      }
      this.error = new Error("the stream ended");
    } catch (error) {
      if (!left.signal.aborted) this.error = error;
    }
  }
}

/** Starts a gateway with a separate connection to the bus. */
async function start(name: string, timeline: Timeline, pollers: string[]) {
  const cable = await layCable(redis?.port ?? 0);
  cables.push(cable);
  const lines: Record<string, unknown>[] = [];
  const gateway = await startGateway({
    adapters: [feedService()],
    upstreams: { things: { baseUrl: "https://api.example", retry: false, breaker: false } },
    fetch: (address, init) => {
      pollers.push(name);
      return timeline.fetch(address, init);
    },
    watch: { resumeKey: KEY },
    bus: { url: `redis://127.0.0.1:${cable.port}` },
    limits: { drainNoticeMs: 1 },
    log: createLogger("info", { write: (line: string) => lines.push(JSON.parse(line)) }),
  });
  gateways.push(gateway);
  const said = (text: string) => lines.filter(({ msg }) => String(msg).startsWith(text)).length;
  const watchers = [new Watcher(gateway.url), new Watcher(gateway.url)];
  await eventually(() => watchers.every(({ hasStarted }) => hasStarted)).toBe(true);
  return { name, said, watchers };
}

/** Waits until one of the pollers has polled this many times. */
async function polls(pollers: readonly string[], names: readonly string[], count: number): Promise<void> {
  const from = pollers.length;
  const since = (name: string) => pollers.slice(from).filter((each) => each === name).length;
  await eventually(() => names.every((name) => since(name) >= count)).toBe(true);
}

const OUTAGES = [
  {
    how: "its server ends and has forgotten all",
    stop: async () => redis?.stop(),
    goOn: async () => redis?.start(),
  },
  {
    how: "the ways to it are cut",
    stop: async () => {
      for (const cable of cables) cable.cut();
    },
    goOn: async () => {
      for (const cable of cables) cable.mend();
    },
  },
];

test.for(OUTAGES)(
  "two gateways poll separately while the bus is unavailable because $how, and share one poller when it is available again",
  async ({ stop, goOn }, { skip }) => {
    skip(NO_REDIS !== undefined, NO_REDIS);
    redis = await startRedis();
    const timeline = new Timeline(200, 1);
    timeline.interval = 1;
    timeline.ids = [1];
    const pollers: string[] = [];
    const fleet = [await start("one", timeline, pollers), await start("two", timeline, pollers)];
    const watchers = fleet.flatMap((each) => each.watchers);
    let newest = 1;
    const happens = async () => {
      newest += 1;
      timeline.add(newest);
      await eventually(() => watchers.every(({ ids, error }) => ids.includes(newest) || error)).toBe(true);
    };

    await happens();
    // Two processes that poll separately would alternate.
    const hasOnePoller = async () => {
      await eventually(() => pollers.length).toBeGreaterThanOrEqual(6);
      await eventually(() => new Set(pollers.slice(-6)).size).toBe(1);
    };
    await hasOnePoller();

    await stop();
    // Events arrive at the start, in the middle and at the end of the outage.
    newest += 1;
    timeline.add(newest);
    await polls(pollers, ["one", "two"], OUTAGE_POLLS / 2);
    await happens();
    await polls(pollers, ["one", "two"], OUTAGE_POLLS / 2);
    newest += 1;
    timeline.add(newest);
    await goOn();

    await eventually(() => fleet.map(({ said }) => said("bus connected"))).toEqual([2, 2]);
    await hasOnePoller();
    for (let event = 0; event < 3; event++) await happens();

    const all = Array.from({ length: newest - 1 }, (_, index) => index + 2);
    for (const { ids, gaps, error } of watchers) expect([ids, gaps, error]).toEqual([all, 0, undefined]);
    expect(fleet.map(({ said }) => said("bus away"))).toEqual([1, 1]);
  },
);
