import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { FetchFunction } from "../http/fetch-function.ts";
import type { Rest } from "../rest.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { MemoryBus } from "../testing/memory-bus.ts";
import { Timeline } from "../testing/timeline.ts";
import { closeWatching, settled, startWatching, type WatchInit, Watching } from "../testing/watching.ts";

afterEach(closeWatching);

const INTERVAL = 60_000;
/** Longer than a poll interval with its random delay. */
const NEXT = 61_000;
const PAGES = [1, 2, 3];

type Step =
  | { readonly kind: "arrive"; readonly count: number }
  | { readonly kind: "late"; readonly before: number }
  | { readonly kind: "fail"; readonly pages: readonly number[]; readonly status: number }
  | { readonly kind: "recover" }
  /** The links change to another path, or pages repeat the end of earlier pages. */
  | { readonly kind: "move"; readonly path: string | undefined; readonly overlap: number }
  | { readonly kind: "poll"; readonly ms: number }
  | { readonly kind: "watch"; readonly start: "live" | "backlog"; readonly process: number }
  | { readonly kind: "after"; readonly id: number; readonly process: number }
  | { readonly kind: "resume"; readonly client: number; readonly message: number; readonly process: number }
  | { readonly kind: "takeOver" }
  | { readonly kind: "die"; readonly process: number };

const process = fc.nat(2);
const of = <K extends Step["kind"]>(kind: K) => fc.constant(kind);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: of("arrive"), count: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: of("arrive"), count: fc.integer({ min: 4, max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: of("late"), before: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: of("fail"),
      pages: fc.subarray(PAGES, { minLength: 1 }),
      status: fc.constantFrom(500, 503, 429),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: of("recover") }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: of("move"),
      path: fc.constantFrom(undefined, "/repositories/7/feed"),
      overlap: fc.nat(1),
    }),
  },
  { weight: 9, arbitrary: fc.record({ kind: of("poll"), ms: fc.constant(NEXT) }) },
  { weight: 2, arbitrary: fc.record({ kind: of("poll"), ms: fc.integer({ min: 1, max: 40 * INTERVAL }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: of("watch"), start: fc.constantFrom("live", "backlog"), process }),
  },
  { weight: 2, arbitrary: fc.record({ kind: of("after"), id: fc.nat(30), process }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: of("resume"), client: fc.nat(5), message: fc.nat(5), process }),
  },
  { weight: 2, arbitrary: fc.record({ kind: of("takeOver") }) },
  { weight: 2, arbitrary: fc.record({ kind: of("die"), process }) },
);

/** A watching client, with its current and its earlier streams. */
interface Client {
  readonly request: WatchInit;
  process: number;
  stream: Watching;
  /** The ids received over earlier streams. */
  readonly before: readonly number[];
  /** The time after which the client must receive every new event. A gap advances it. */
  since: number;
  /** The time at which the client received its first message. */
  joined: number | undefined;
  /** The number of messages of the current stream that were checked. */
  looked: number;
}

/** A page request that the upstream received. */
interface Asked {
  readonly at: number;
  readonly page: number;
  readonly isRead: boolean;
  readonly isLimit: boolean;
  /** Whether this is the last page. */
  readonly isLast: boolean;
}

class World {
  readonly timeline = new Timeline(2, PAGES.length);
  readonly clock = new FakeClock();
  readonly clients: Client[] = [];
  private readonly asked: Asked[] = [];
  private readonly bus = new MemoryBus();
  private readonly processes: Rest[];
  private time = 0;
  private lastId = 0;
  /** The arrival times of the events that were not late. */
  private readonly arrived = new Map<number, number>();
  /** The times at which a page with the event was first read. */
  private readonly read = new Map<number, number>();

  constructor(count: number) {
    this.processes = Array.from({ length: count }, () => this.started());
  }

  async take(step: Step): Promise<void> {
    this.time++;
    const before = this.asked.length;
    await this.act(step);
    await settled();
    this.checkPolls();
    if (step.kind === "poll" && step.ms === NEXT) this.checkFirstPage(before);
    for (const client of this.clients) this.look(client);
  }

  private async act(step: Step): Promise<void> {
    const { timeline } = this;
    switch (step.kind) {
      case "arrive":
        for (let count = 0; count < step.count; count++) {
          timeline.add(++this.lastId);
          this.arrived.set(this.lastId, this.time);
        }
        return;
      case "late":
        timeline.add(++this.lastId, step.before);
        return;
      case "fail": {
        const headers = step.status === 429 ? { "retry-after": "100" } : {};
        timeline.failure = { status: step.status, headers, page: step.pages };
        return;
      }
      case "recover":
        timeline.failure = undefined;
        return;
      case "move":
        timeline.linkedPath = step.path;
        timeline.overlap = step.overlap;
        return;
      case "poll":
        this.clock.advance(step.ms);
        return;
      case "watch":
        this.watch(step.start === "backlog" ? { backlog: true } : {}, step.process);
        return;
      case "after":
        this.after(1 + (step.id % Math.max(this.lastId, 1)), step.process);
        return;
      case "resume":
        this.resume(step);
        return;
      case "takeOver":
        this.bus.takeOver();
        return;
      case "die":
        await this.die(step.process);
        return;
    }
  }

  /** Ends all failures, and checks which events each client received. */
  async finish(): Promise<void> {
    await this.take({ kind: "recover" });
    for (let poll = 0; poll < 40; poll++) await this.take({ kind: "poll", ms: INTERVAL + 1_000 });
    for (const client of this.clients) {
      const got = gotBy(client);
      expect(got).toEqual([...new Set(got)]);
      expect(client.stream.error).toBeUndefined();
      expect(client.looked).toBeGreaterThan(0);
      const lost = [...this.arrived].filter(([id, at]) => at > client.since && !got.includes(id));
      expect(lost).toEqual([]);
      const { listed } = this.timeline;
      const late = listed.filter(
        (id) => (this.read.get(id) ?? 0) > (client.joined ?? 0) && !got.includes(id),
      );
      expect(late).toEqual([]);
    }
  }

  /** Checks that no process requests a page again before the interval has passed. */
  private checkPolls(): void {
    for (const page of PAGES) {
      const [last, before] = this.asked.filter((each) => each.page === page).reverse();
      if (last === undefined || before === undefined) continue;
      expect(last.at - before.at).toBeGreaterThanOrEqual(INTERVAL);
    }
  }

  /** Checks that the first page is polled at its interval, if it is readable and there was no rate limit. */
  private checkFirstPage(before: number): void {
    const last = lastPoll(this.asked.slice(0, before));
    if (last[0]?.isRead !== true || last.some(({ isLimit }) => isLimit)) return;
    expect(this.asked.slice(before).filter(({ page }) => page === 1)).toHaveLength(1);
  }

  private look(client: Client): void {
    const { batches } = client.stream;
    if (batches.length > 0 && client.joined === undefined) {
      client.joined = this.time;
      const { afterId, resumeToken } = client.request;
      // items that were listed before the first read are not new
      if (afterId === undefined && resumeToken === undefined) client.since = this.time;
    }
    for (const batch of batches.slice(client.looked)) {
      if (client.looked++ === 0 && client.request.resumeToken === undefined) {
        const isNamed = client.request.afterId !== undefined;
        if (!isNamed || !this.isRead) expect(batch.gap).toBe(!isNamed && !this.isRead);
      }
      if (batch.gap) client.since = Math.max(client.since, this.time);
    }
  }

  /** Whether the last poll that read the first page also read every other page. */
  private get isRead(): boolean {
    const first = this.asked.findLastIndex(({ page, isRead }) => page === 1 && isRead);
    const last = this.asked.slice(first);
    const end = last.findIndex(({ page }, index) => page === 1 && index > 0);
    const poll = end < 0 ? last : last.slice(0, end);
    return poll.at(-1)?.isLast === true && poll.every(({ isRead }) => isRead);
  }

  private started(): Rest {
    const { timeline, clock } = this;
    const fetch: FetchFunction = async (address, init) => {
      const response = await timeline.fetch(address, init);
      const { page = 0, ids = [] } = timeline.requests.at(-1) ?? {};
      const isRead = response.status < 400;
      const isLimit = response.status === 429;
      this.asked.push({
        at: clock.now(),
        page,
        isRead,
        isLimit,
        isLast: page >= Math.min(timeline.pages, PAGES.length),
      });
      for (const id of ids) if (!this.read.has(id)) this.read.set(id, this.time);
      return response;
    };
    return startWatching({ timeline, clock, watch: { bus: this.bus.bus }, options: { fetch } }).rest;
  }

  private watch(
    request: WatchInit,
    process: number,
    before: readonly number[] = [],
    since = this.time,
  ): void {
    const at = process % this.processes.length;
    const stream = new Watching(this.processes[at] as Rest, request);
    this.clients.push({ request, process: at, stream, before, since, joined: undefined, looked: 0 });
  }

  private after(id: number, process: number): void {
    if (id <= this.lastId) this.watch({ afterId: String(id) }, process, [], this.arrived.get(id));
  }

  /** Starts a new client with the resume token of a message that an existing client received. */
  private resume({ client: index, message, process }: Step & { readonly kind: "resume" }): void {
    const from = this.clients[index % Math.max(this.clients.length, 1)];
    const batches = from?.stream.batches ?? [];
    const count = 1 + (message % Math.max(batches.length, 1));
    const resumeToken = batches[count - 1]?.resumeToken ?? "";
    if (from === undefined || resumeToken === "") return;
    const ids = batches.slice(0, count).flatMap(({ entries }) => entries.map(({ id }) => Number(id)));
    this.watch({ resumeToken }, process, [...from.before, ...ids], this.time);
  }

  /** Ends a process. Its clients resume at another process. */
  private async die(process: number): Promise<void> {
    const at = process % this.processes.length;
    const left = this.clients.filter((client) => client.process === at);
    await Promise.all(left.map(({ stream }) => stream.leave()));
    await this.processes[at]?.close();
    this.processes[at] = this.started();
    for (const client of left) {
      this.look(client);
      this.clients.splice(this.clients.indexOf(client), 1);
      const { token } = client.stream;
      const request = token === "" ? client.request : { resumeToken: token };
      this.watch(request, at + 1, gotBy(client), client.since);
    }
  }
}

/** Returns the requests of the last poll, beginning with the first page. */
function lastPoll(asked: readonly Asked[]): readonly Asked[] {
  return asked.slice(
    Math.max(
      asked.findLastIndex(({ page }) => page === 1),
      0,
    ),
  );
}

function gotBy({ before, stream }: Client): number[] {
  return [...before, ...stream.ids];
}

test.each([1, 3])(
  "with any failing pages, every loss is reported as a gap, no event is repeated, and no page is requested too early: %i processes",
  async (count) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = new World(count);
        for (const each of steps) await world.take(each);
        await world.finish();
        await closeWatching();
      }),
      { numRuns: Number(globalThis.process.env.RUNS ?? 40), interruptAfterTimeLimit: 100_000 },
    );
  },
  120_000,
);
