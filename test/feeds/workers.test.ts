import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Run, runCli } from "../../gateway/src/testing/child.ts";
import { watch } from "../../runtime/src/index.ts";
import { FeedServiceRest } from "./feed-rest.ts";
import { type ServedTimeline, serveTimeline } from "./served-timeline.ts";

const POLL = { timeout: 120_000, interval: 20 };
const eventually = (read: () => unknown) => expect.poll(read, POLL);
const WATCH = FeedServiceRest.methods.watch as unknown as Parameters<typeof watch>[1];

let directory = "";
let upstream: ServedTimeline;
let runs: Run[] = [];
let watchers: Watcher[] = [];

beforeEach(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "connect-rest-feed-workers-"));
  upstream = await serveTimeline();
});
afterEach(async () => {
  await Promise.all(watchers.map((watcher) => watcher.leave()));
  for (const run of runs) {
    run.process.kill("SIGKILL");
    await run.exit;
  }
  [runs, watchers] = [[], []];
  await upstream.close();
  rmSync(directory, { recursive: true });
});

/** A client that resumes with its token when its stream ends. */
class Watcher {
  readonly ids: number[] = [];
  gaps = 0;
  batches = 0;
  reconnects = 0;
  private readonly left = new AbortController();
  private readonly over: Promise<void>;

  constructor(url: string) {
    this.over = this.run(url).catch((error: unknown) => {
      if (!this.left.signal.aborted) throw error;
    });
  }

  async leave(): Promise<void> {
    this.left.abort();
    await this.over;
  }

  private async run(baseUrl: string): Promise<void> {
    // A separate connection, which the primary process passes to the next worker.
    const transport = createGrpcTransport({ baseUrl });
    const items = watch(transport, WATCH, { owner: "ada" } as never, {
      signal: this.left.signal,
      maxDelayMs: 500,
      onBatch: () => {
        this.batches += 1;
      },
      onGap: () => {
        this.gaps += 1;
      },
      onReconnect: () => {
        this.reconnects += 1;
      },
    });
    for await (const { id } of items as AsyncIterable<{ readonly id: bigint }>) this.ids.push(Number(id));
  }
}

/** Starts a gateway with two workers, each of which has watchers. */
async function start(settings = "") {
  writeFileSync(
    path.join(directory, "connect-rest.yaml"),
    `adapters: [${path.join(import.meta.dirname, "feed-rest.ts")}]
upstreams: { things: { baseUrl: "${upstream.url}" } }
server: { workers: 2, metrics: { port: 0 }, limits: { eventLoopDelayMs: 60000, drainNoticeMs: 1 } }
${settings}`,
  );
  const run = runCli(["serve"], directory);
  runs.push(run);
  const urlOf = async (name: string) =>
    (await run.line(new RegExp(`^${name} ready on `))).replace(`${name} ready on `, "");
  const [url, metricsUrl] = [await urlOf("gateway"), await urlOf("metrics")];
  const metric = async (name: string) => {
    const text = await (await fetch(metricsUrl)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
  };
  const pidOf = (worker: number) => {
    const lines = run.output().stderr.split("\n");
    const ready = lines.filter((line) => line.includes('"worker ready"') && line.endsWith("}"));
    const line = ready.map((each) => JSON.parse(each)).findLast(({ started }) => started === worker);
    return Number(line?.pid);
  };
  upstream.timeline.ids = [1];
  for (let count = 0; count < 4; count++) {
    const watcher = new Watcher(url);
    watchers.push(watcher);
    // Connections are made sequentially, so that they go to the workers in order.
    await eventually(() => watcher.batches).toBeGreaterThan(0);
  }
  return { run, metric, pidOf };
}

let newest = 1;
/** Adds an event, and waits until all these watchers receive it. */
async function happens(who: readonly Watcher[] = watchers): Promise<void> {
  newest += 1;
  upstream.timeline.add(newest);
  await eventually(() => who.every(({ ids }) => ids.includes(newest))).toBe(true);
}

beforeEach(() => {
  newest = 1;
});

function expectAllOnce(): void {
  const all = Array.from({ length: newest - 1 }, (_, index) => index + 2);
  for (const { ids, gaps } of watchers) expect([ids, gaps]).toEqual([all, 0]);
}

test("two workers share one poller, and the watchers of both get each event once", async () => {
  const { metric } = await start();
  await eventually(() => metric("connect_rest_bus_feeds")).toBe(2);
  expect(await metric("connect_rest_bus_feeds_led")).toBe(1);
  for (let event = 0; event < 3; event++) await happens();
  // Two pollers would alternate.
  const last = () => upstream.pollers.slice(-6);
  await eventually(() => [last().length, new Set(last()).size]).toEqual([6, 1]);
  expectAllOnce();
});

test("when the polling worker is killed, the other worker polls, and every watcher gets each event once", async () => {
  const { metric, pidOf, run } = await start();
  await eventually(() => metric("connect_rest_bus_feeds")).toBe(2);
  await happens();
  // One of the two workers is the poller.
  for (const worker of [1, 2]) {
    const pid = pidOf(worker);
    const before = upstream.pollers.length;
    process.kill(pid, "SIGKILL");
    await happens();
    await eventually(() => pidOf(worker) !== pid).toBe(true);
    await happens();
    expect(upstream.pollers.length).toBeGreaterThan(before);
  }
  expect(new Set(upstream.pollers).size).toBeGreaterThan(1);
  expect(watchers.some(({ reconnects }) => reconnects > 0)).toBe(true);
  expect(run.output().stderr).not.toContain("stray error");
  expectAllOnce();
});

test("a stopped worker does not delay the watchers of the other worker, and catches up when it continues", async () => {
  const { metric, pidOf } = await start();
  await eventually(() => metric("connect_rest_bus_feeds")).toBe(2);
  await happens();
  for (const worker of [1, 2]) {
    const counts = watchers.map(({ batches }) => batches);
    const pid = pidOf(worker);
    process.kill(pid, "SIGSTOP");
    try {
      newest += 1;
      upstream.timeline.add(newest);
      const moved = () => watchers.filter(({ ids }) => ids.includes(newest)).length;
      await eventually(moved).toBe(2);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await happens();
    expect(watchers.every(({ batches }, index) => batches > (counts[index] ?? 0))).toBe(true);
  }
  expectAllOnce();
});
