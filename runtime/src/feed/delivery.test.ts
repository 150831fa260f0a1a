import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { FetchFunction } from "../http/fetch-function.ts";
import type { Rest } from "../rest.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { MemoryBus } from "../testing/memory-bus.ts";
import { Timeline } from "../testing/timeline.ts";
import { closeWatching, settled, startWatching, Watching } from "../testing/watching.ts";
import { MAX_BACKOFF_MS } from "./failure-backoff.ts";

afterEach(closeWatching);

type Step =
  /** Events arrive, each at the given index in the list of events. */
  | { readonly kind: "arrive"; readonly before: readonly number[] }
  /** An event arrives while the next polls request this page. */
  | { readonly kind: "meanwhile"; readonly page: number }
  | { readonly kind: "poll" }
  | { readonly kind: "watch"; readonly backlog: boolean; readonly process: number }
  | { readonly kind: "restart"; readonly process: number; readonly drained: boolean }
  /** A client has handled the given number of messages, and resumes at another process. */
  | {
      readonly kind: "reconnect";
      readonly watcher: number;
      readonly process: number;
      readonly handled: number;
    }
  | { readonly kind: "fail"; readonly status: number; readonly page: number }
  | { readonly kind: "recover" }
  | { readonly kind: "hide"; readonly index: number }
  | { readonly kind: "takeOver" };

const process = fc.nat(2);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("arrive" as const),
      before: fc.array(fc.nat(6), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("arrive" as const),
      before: fc.array(fc.constant(0), { minLength: 5, maxLength: 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("meanwhile" as const), page: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 8, arbitrary: fc.constant({ kind: "poll" as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("watch" as const), backlog: fc.boolean(), process }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("restart" as const), process, drained: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("reconnect" as const),
      watcher: fc.nat(5),
      process,
      handled: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fail" as const),
      status: fc.constantFrom(429, 500, 503),
      page: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: "recover" as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("hide" as const), index: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.constant({ kind: "takeOver" as const }) },
);

/** A watching client, with its current and its earlier connections. */
interface Client {
  readonly backlog: boolean;
  connection: Watching;
  process: number;
  /** The ids received over earlier connections. */
  readonly ids: number[];
  token: string;
  /** The time at which the client started. */
  readonly since: number;
  /** The events that a poll had seen when the client received its first message. */
  known: ReadonlySet<number> | undefined;
  /**
   * Events that were seen before the client connected, and are no longer listed or are hidden for a while.
   */
  readonly hidden: Set<number>;
}

/** A running process. */
interface Process {
  readonly rest: Rest;
  /** The events that its requests have seen, with the times of the requests. */
  readonly seen: Array<{ readonly at: number; readonly ids: readonly number[] }>;
  /** Whether the process has read every page, and has delivered a message to a client. */
  hasDelivered: boolean;
}

/** Several processes that watch one feed, with their clients and the upstream. */
class World {
  readonly timeline = new Timeline(2, 3);
  readonly clock = new FakeClock();
  readonly bus = new MemoryBus();
  readonly clients: Client[] = [];
  private readonly processes: Process[] = [];
  /** The events that processes saw before they ended. */
  private readonly past: Process["seen"] = [];
  private time = 0;
  private lastListed: ReadonlySet<number> = new Set();
  private nextId = 1;
  private hidden: number | undefined;
  /** The time until which a poll may omit a page that has failed. */
  private restsUntil = 0;

  constructor(count: number) {
    for (let index = 0; index < count; index++) this.processes.push(this.startProcess(count));
  }

  async take(step: Step): Promise<void> {
    const { timeline } = this;
    switch (step.kind) {
      case "arrive":
        for (const before of step.before) timeline.add(this.nextId++, before);
        return;
      case "meanwhile":
        timeline.onRequest = (page) => {
          if (page === step.page) timeline.add(this.nextId++);
        };
        return;
      case "poll":
        this.clock.advance(61_000);
        await this.settle();
        return;
      case "watch":
        this.watch(step.backlog, step.process);
        await this.settle();
        return;
      case "restart":
        await this.restart(step.process, step.drained);
        return;
      case "reconnect": {
        const client = this.clients[step.watcher % Math.max(this.clients.length, 1)];
        if (client === undefined) return;
        await client.connection.leave();
        client.connection.batches.splice(step.handled);
        this.reconnect(client, step.process);
        await this.settle();
        return;
      }
      case "fail":
        timeline.failure = { status: step.status, ...(step.page <= 3 && { page: step.page }) };
        return;
      case "recover":
        timeline.failure = undefined;
        return;
      case "hide":
        this.show();
        this.hidden = timeline.ids.splice(-1 - step.index, 1)[0];
        return;
      case "takeOver":
        this.bus.takeOver();
        await this.settle();
        return;
    }
  }

  /** Ends all failures, and waits until all events are delivered. */
  async finish(): Promise<void> {
    this.timeline.failure = undefined;
    this.timeline.onRequest = undefined;
    this.show();
    for (let poll = 0; poll < 3; poll++) {
      this.clock.advance(20 * 60_000);
      await this.settle();
    }
  }

  /**
   * Returns the events that a client must have received: all events that a poll has seen since the client
   * started, except events before its start position.
   */
  expected({ since, known, backlog, hidden }: Client): Set<number> {
    const seen = this.allSeen.filter(({ at }) => at >= since).flatMap(({ ids }) => ids);
    return new Set(seen.filter((id) => !hidden.has(id) && (backlog || known?.has(id) !== true)));
  }

  got({ ids, connection }: Client): number[] {
    return [...ids, ...connection.ids];
  }

  private get allSeen(): Process["seen"] {
    return [...this.past, ...this.processes.flatMap(({ seen }) => seen)];
  }

  private startProcess(count: number): Process {
    const { timeline, clock } = this;
    const watch = count === 1 ? {} : { bus: this.bus.bus };
    const seen: Process["seen"] = [];
    const fetch: FetchFunction = async (address, init) => {
      const response = await timeline.fetch(address, init);
      const { page = 0, ids = [] } = timeline.requests.at(-1) ?? {};
      if (response.status >= 400) this.restsUntil = clock.now() + MAX_BACKOFF_MS;
      const mayRest = clock.now() < this.restsUntil;
      // the first request of a poll reads all listed events, unless there is a failure, a change or a backoff
      const isUndisturbed = timeline.failure === undefined && timeline.onRequest === undefined && !mayRest;
      if (response.status < 400) this.listing(page, ids);
      seen.push({ at: this.time++, ids: isUndisturbed && page === 1 ? timeline.listed : ids });
      return response;
    };
    const { rest } = startWatching({ timeline, clock, watch, options: { fetch } });
    return { rest, seen, hasDelivered: false };
  }

  /** Records the events on a page. If a later page fails, the events that were listed before remain. */
  private listing(page: number, ids: readonly number[]): void {
    const { failure, pages, listed } = this.timeline;
    const isWhole =
      failure === undefined || [failure.page ?? page].flat().every((failing) => failing > pages);
    if (!isWhole) {
      this.lastListed = new Set([...this.lastListed, ...ids]);
    } else if (page === 1) {
      this.lastListed = new Set(listed);
    }
  }

  private watch(backlog: boolean, index: number): void {
    const at = index % this.processes.length;
    const connection = new Watching(this.restOf(at), { backlog });
    const since = this.time;
    this.clients.push({
      backlog,
      connection,
      process: at,
      ids: [],
      token: "",
      since,
      known: undefined,
      hidden: this.hiddenNow,
    });
  }

  private reconnect(client: Client, index: number): void {
    client.ids.push(...client.connection.ids);
    for (const id of this.hiddenNow) client.hidden.add(id);
    client.token = client.connection.token || client.token;
    client.process = index % this.processes.length;
    const request = client.token === "" ? { backlog: client.backlog } : { resumeToken: client.token };
    client.connection = new Watching(this.restOf(client.process), request);
  }

  /** Events that were seen, but are not listed now or were not listed at the last poll. */
  private get hiddenNow(): Set<number> {
    const listed = new Set(this.timeline.listed.filter((id) => this.lastListed.has(id)));
    const seen = this.allSeen.flatMap(({ ids }) => ids);
    return new Set(seen.filter((id) => !listed.has(id)));
  }

  private restOf(index: number): Rest {
    return (this.processes[index] as Process).rest;
  }

  private async restart(index: number, drained: boolean): Promise<void> {
    const at = index % this.processes.length;
    const process = this.processes[at] as Process;
    const own = this.clients.filter((client) => client.process === at);
    if (!drained) await Promise.all(own.map(({ connection }) => connection.leave()));
    await process.rest.close();
    await Promise.all(own.map(({ connection }) => connection.over));
    // if a process ends during its first poll, the pages that it has read do not count
    if (process.hasDelivered) this.past.push(...process.seen);
    this.processes[at] = this.startProcess(this.processes.length);
    for (const client of own) this.reconnect(client, at + 1);
    await this.settle();
  }

  private show(): void {
    if (this.hidden !== undefined) this.timeline.add(this.hidden, 1);
    this.hidden = undefined;
  }

  private async settle(): Promise<void> {
    await settled();
    const seen = new Set(this.allSeen.flatMap(({ ids }) => ids));
    for (const client of this.clients) {
      if (client.connection.batches.length === 0) continue;
      client.known ??= seen;
      (this.processes[client.process] as Process).hasDelivered = true;
    }
  }
}

/**
 * A token waits for the second page. Meanwhile, item 2 is read, and leaves the feed before that page is read.
 */
const LEFT_WHILE_A_TOKEN_WAITED: Step[] = [
  { kind: "fail", status: 429, page: 2 },
  { kind: "arrive", before: [0, 0, 0] },
  { kind: "restart", process: 0, drained: false },
  { kind: "arrive", before: [0, 0, 0, 0, 0] },
];
/** Item 1 leaves the feed and returns. A client that has not handled item 1 then requests it. */
const BACK_IN_THE_FEED: Step[] = [
  { kind: "arrive", before: [0] },
  { kind: "poll" },
  { kind: "hide", index: 0 },
  { kind: "poll" },
  { kind: "arrive", before: [0] },
  { kind: "hide", index: 0 },
  { kind: "poll" },
  { kind: "reconnect", watcher: 0, process: 0, handled: 1 },
];

test.each([
  ["one process", 1],
  ["three processes on a bus", 3],
])(
  "after any sequence of steps, each watcher has received every event that a poll has seen, exactly once: %s",
  async (_what, count) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = new World(count);
        await world.take({ kind: "watch", backlog: true, process: 0 });
        for (const each of steps) await world.take(each);
        await world.finish();
        for (const client of world.clients) {
          const got = world.got(client);
          expect(got).toEqual([...new Set(got)]);
          const missing = [...world.expected(client)].filter((id) => !got.includes(id));
          expect(missing).toEqual([]);
          expect(client.connection.error).toBeUndefined();
        }
        await closeWatching();
      }),
      {
        examples: [[LEFT_WHILE_A_TOKEN_WAITED], [BACK_IN_THE_FEED]],
        numRuns: Number(globalThis.process.env.RUNS ?? 40),
        interruptAfterTimeLimit: 100_000,
      },
    );
  },
  120_000,
);
