import { setImmediate } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { FeedParts } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { RestOptions } from "../call/options.ts";
import { createRest, type Rest } from "../rest.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { type Batch, FeedService, feedService, type WatchRequest } from "../testing/feed-service.ts";
import { Timeline } from "../testing/timeline.ts";

const OPEN: Rest[] = [];

afterEach(async () => {
  for (const rest of OPEN.splice(0)) await rest.close();
});

const KEY = "0123456789abcdef0123456789abcdef";

interface Setup {
  readonly rules?: Partial<MethodRules>;
  readonly parts?: object;
  readonly options?: Partial<RestOptions>;
  readonly timeline?: Timeline;
  readonly clock?: FakeClock;
}

function start({ rules, parts, options, timeline = new Timeline(), clock = new FakeClock() }: Setup = {}) {
  const rest = createRest({
    adapters: [feedService(rules, parts as Partial<FeedParts<never>>)],
    upstreams: { things: { baseUrl: "https://api.example", retry: false, breaker: false } },
    clock,
    fetch: timeline.fetch,
    watch: { resumeKey: KEY },
    ...options,
  });
  OPEN.push(rest);
  return { rest, timeline, clock };
}

type WatchInit = Partial<Omit<WatchRequest, "$typeName" | "$unknown">>;

/** One who watches, and what came so far. */
class Watching {
  readonly batches: Batch[] = [];
  error: unknown;
  isOver = false;
  readonly over: Promise<void>;
  private readonly left = new AbortController();

  constructor(rest: Rest, request: WatchInit = {}, headers: Record<string, string> = {}) {
    const { signal } = this.left;
    const stream = createClient(FeedService, rest.transport).watch(
      { owner: "ada", ...request },
      { signal, headers },
    );
    this.over = this.read(stream);
  }

  get ids(): number[] {
    return this.batches.flatMap(({ entries }) => entries.map(({ id }) => Number(id)));
  }

  get token(): string {
    return this.batches.at(-1)?.resumeToken ?? "";
  }

  async leave(): Promise<void> {
    this.left.abort();
    await this.over;
  }

  private async read(stream: AsyncIterable<Batch>): Promise<void> {
    try {
      for await (const batch of stream) this.batches.push(batch);
    } catch (error) {
      this.error = error;
    } finally {
      this.isOver = true;
    }
  }
}

/** Lets everything happen that needs no time to pass. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await setImmediate();
}

test("a watcher from now on gets a token first and then what is new, oldest first", async () => {
  const { rest, timeline, clock } = start();
  timeline.ids = [1, 2, 3];
  const watching = new Watching(rest);
  await settled();
  expect(watching.batches).toHaveLength(1);
  expect(watching.ids).toEqual([]);
  expect(watching.token).not.toBe("");
  timeline.add(4);
  timeline.add(5);
  clock.advance(61_000);
  await settled();
  expect(watching.ids).toEqual([4, 5]);
  expect(watching.error).toBeUndefined();
});
