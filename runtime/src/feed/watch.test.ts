import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { PollAdapter } from "../adapter/adapter.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { failureOf } from "../testing/failure.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { type Batch, type FeedService, feedService } from "../testing/feed-service.ts";
import { Timeline } from "../testing/timeline.ts";
import { closeWatching, settled, startWatching, type WatchInit } from "../testing/watching.ts";
import { type WatchLoopOptions, watch } from "./watch.ts";

afterEach(closeWatching);

type Method = typeof FeedService.method.watch;
type Options = WatchLoopOptions<Method["output"]>;

const METHOD = feedService().methods.watch as PollAdapter<Method["input"], Method["output"]>;
const NEXT = 61_000;

/** A transport to a process that the test can replace by another process. */
class Service {
  readonly timeline = new Timeline();
  readonly clock = new FakeClock();
  readonly requests: WatchInit[] = [];
  /** The error that starting a stream throws, if set. */
  rejection: ConnectError | undefined;
  private process = this.start();

  readonly transport: Transport = {
    unary: () => Promise.reject(new Error("no unary call")),
    stream: async (...call) => {
      if (this.rejection !== undefined) throw this.rejection;
      return await this.process.rest.transport.stream(...call);
    },
  };

  async restart(): Promise<void> {
    await this.process.rest.close();
    this.process = this.start();
  }

  private start() {
    return startWatching({ timeline: this.timeline, clock: this.clock });
  }
}

class Loop {
  readonly ids: number[] = [];
  readonly waits: number[] = [];
  readonly handled: string[] = [];
  readonly clock = new FakeClock();
  gaps = 0;
  error: unknown;
  readonly over: Promise<void>;
  private readonly left = new AbortController();

  constructor(service: Service, request: WatchInit = {}, options: Options = {}) {
    this.over = this.run(
      watch(service.transport, METHOD, { owner: "ada", ...request } as never, {
        signal: this.left.signal,
        clock: this.clock,
        onReconnect: (_error, delayMs) => this.waits.push(delayMs),
        onBatch: (batch: Batch) => {
          this.handled.push(batch.resumeToken);
        },
        onGap: () => this.gaps++,
        ...options,
      }),
    );
  }

  async leave(): Promise<void> {
    this.left.abort(new Error("left"));
    await this.over;
  }

  private async run(events: AsyncIterable<{ readonly id: bigint }>): Promise<void> {
    try {
      for await (const { id } of events) this.ids.push(Number(id));
    } catch (error) {
      this.error = error;
    }
  }
}

test("a watch loop continues across restarts of the service, and gets each event once", async () => {
  const service = new Service();
  const { timeline, clock } = service;
  timeline.ids = [1, 2];
  const loop = new Loop(service, { backlog: true });
  await settled();
  for (let id = 3; id <= 8; id++) {
    timeline.add(id);
    if (id % 2 === 0) await service.restart();
    await settled();
    loop.clock.advance(NEXT);
    clock.advance(NEXT);
    await settled();
  }
  expect(loop.ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  await loop.leave();
  expect(loop.error).toEqual(new Error("left"));
});

test("if the service cannot be reached, the delay of a watch loop grows up to its limit, and is reset after a success", async () => {
  const service = new Service();
  service.rejection = new ConnectError("down", Code.Unavailable);
  const loop = new Loop(service, {}, { maxDelayMs: 4_000 });
  for (let attempt = 0; attempt < 6; attempt++) {
    await settled();
    loop.clock.advance(4_000);
  }
  await settled();
  // the random number of the fake clock is 0.67, and jitter covers half of the delay
  const share = 0.5 + 0xabababab / 2 ** 33;
  expect(loop.waits.slice(0, 6).map((ms) => Math.round(ms / share))).toEqual([
    500, 1000, 2000, 4000, 4000, 4000,
  ]);
  service.rejection = undefined;
  loop.clock.advance(4_000);
  await settled();
  const before = loop.waits.length;
  await service.restart();
  await settled();
  expect(Math.round((loop.waits[before] ?? 0) / share)).toBe(500);
  await loop.leave();
});

test("a watch loop ends with its first permanent error, or after the maximum number of failures", async () => {
  const service = new Service();
  service.timeline.failure = { status: 404 };
  const loop = new Loop(service);
  await loop.over;
  expect([reasonOf(ConnectError.from(loop.error)), loop.waits]).toEqual(["NOT_FOUND", []]);
  service.rejection = new ConnectError("down", Code.Unavailable);
  const tired = new Loop(service, {}, { maxFailures: 2 });
  for (let attempt = 0; attempt < 2; attempt++) {
    await settled();
    tired.clock.advance(NEXT);
  }
  await tired.over;
  expect([ConnectError.from(tired.error).code, tired.waits.length]).toEqual([Code.Unavailable, 2]);
});

test("a token that is stored once a message has been handled resumes where the loop ended", async () => {
  const service = new Service();
  const { timeline, clock } = service;
  timeline.ids = [1, 2, 3];
  const loop = new Loop(service, { backlog: true });
  await settled();
  await loop.leave();
  timeline.add(4);
  clock.advance(NEXT);
  await settled();
  const again = new Loop(service, { resumeToken: loop.handled.at(-1) ?? "" });
  await settled();
  expect([loop.ids, again.ids]).toEqual([[1, 2, 3], [4]]);
  await again.leave();
});

test("a gap is reported before the events after it", async () => {
  const service = new Service();
  const { timeline, clock } = service;
  timeline.ids = [1, 2, 3, 4, 5, 6];
  const loop = new Loop(service);
  await settled();
  timeline.ids = [11, 12, 13, 14, 15, 16];
  clock.advance(NEXT);
  await settled();
  expect([loop.gaps, loop.ids]).toEqual([1, [11, 12, 13, 14, 15, 16]]);
  await loop.leave();
});

test("leaving the watch loop ends the call", async () => {
  const service = new Service();
  service.timeline.ids = [1];
  for await (const { id } of watch(service.transport, METHOD, { owner: "ada", backlog: true } as never)) {
    expect(id).toBe(1n);
    break;
  }
  await settled();
  // only the timers of the poller and the grace period run
  expect(service.clock.running).toBe(2);
});

test("the watch loop does not modify the caller's request, and rejects a method without batches", async () => {
  const service = new Service();
  const error = await failureOf(
    watch(service.transport, { method: METHOD.method }, {} as never)
      [Symbol.asyncIterator]()
      .next(),
  );
  expect(error.message).toBe(
    "[internal] method test.v1.FeedService.Watch: expected a rule `poll` with a batch and a resume token in the request",
  );
});
