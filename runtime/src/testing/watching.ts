import { setImmediate } from "node:timers/promises";
import { createClient } from "@connectrpc/connect";
import type { FeedParts } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { RestOptions } from "../call/options.ts";
import type { WatchOptions } from "../call/watch-options.ts";
import { createRest, type Rest } from "../rest.ts";
import type { UpstreamOptions } from "../upstream/options.ts";
import { FakeClock } from "./fake-clock.ts";
import { type Batch, FeedService, feedService, type WatchRequest } from "./feed-service.ts";
import { Timeline } from "./timeline.ts";

/** The key that signs resume tokens. */
export const RESUME_KEY = "0123456789abcdef0123456789abcdef";

/** The options for a test of a feed. */
export interface WatchSetup {
  readonly rules?: Partial<MethodRules>;
  readonly parts?: Partial<FeedParts>;
  readonly options?: Partial<RestOptions>;
  readonly upstream?: Partial<UpstreamOptions>;
  readonly watch?: WatchOptions;
  readonly timeline?: Timeline;
  readonly clock?: FakeClock;
}

const OPEN: Rest[] = [];

/** Starts a simulated process that polls a timeline, with a clock that the test advances. */
export function startWatching(setup: WatchSetup = {}) {
  const {
    rules,
    parts,
    options,
    upstream,
    watch,
    timeline = new Timeline(),
    clock = new FakeClock(),
  } = setup;
  const rest = createRest({
    adapters: [feedService(rules, parts as Parameters<typeof feedService>[1])],
    upstreams: { things: { baseUrl: "https://api.example", retry: false, breaker: false, ...upstream } },
    clock,
    fetch: timeline.fetch,
    watch: { resumeKey: RESUME_KEY, ...watch },
    ...options,
  });
  OPEN.push(rest);
  const watching = (request?: WatchInit, headers?: Record<string, string>) =>
    new Watching(rest, request, headers);
  return { rest, timeline, clock, watching };
}

/** Closes everything that tests have started. */
export async function closeWatching(): Promise<void> {
  for (const rest of OPEN.splice(0)) await rest.close();
}

/** A request in which some fields may be missing. */
export type WatchInit = Partial<Omit<WatchRequest, "$typeName" | "$unknown">>;

/** A watcher, and the messages that it has received. */
export class Watching {
  readonly batches: Batch[] = [];
  error: unknown;
  isOver = false;
  readonly over: Promise<void>;
  private readonly left = new AbortController();

  constructor(rest: Pick<Rest, "transport">, request: WatchInit = {}, headers: Record<string, string> = {}) {
    const { signal } = this.left;
    const client = createClient(FeedService, rest.transport);
    this.over = this.read(client.watch({ owner: "ada", ...request }, { signal, headers }));
  }

  /** The ids of all received events, in order of arrival. */
  get ids(): number[] {
    return this.batches.flatMap(({ entries }) => entries.map(({ id }) => Number(id)));
  }

  /** The token of the last message. */
  get token(): string {
    return this.batches.at(-1)?.resumeToken ?? "";
  }

  /** Waits until this many events have arrived, or the watch has ended. */
  async has(count: number): Promise<void> {
    while (this.ids.length < count && !this.isOver) await setImmediate();
  }

  /** Waits until this many messages have arrived, or the watch has ended. */
  async hasBatches(count: number): Promise<void> {
    while (this.batches.length < count && !this.isOver) await setImmediate();
  }

  /** Cancels the call, and waits for its end. */
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

/** Waits until all work that does not depend on time is done. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 16; turn++) await setImmediate();
}
