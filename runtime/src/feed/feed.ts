import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { type Clock, MAX_DELAY_MS } from "connect-rest-codec/internal";
import type { FeedParts, FeedStart, PollAdapter } from "../adapter/adapter.ts";
import type { FeedBus, FeedEntryKind, FeedMember, FeedName, FeedSeat } from "../call/feed-bus.ts";
import type { RunningCall } from "../call/running-call.ts";
import { reasonOf, restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import { sleep } from "../time/abort.ts";
import { type Batch, type BatchHead, batchesOf, type Heartbeat, writeBatch } from "./batch-writer.ts";
import { decodeFeedEntry, encodeFeedEntry, type FeedEntry, type FeedItem } from "./bus-entry.ts";
import { MAX_BACKOFF_MS } from "./failure-backoff.ts";
import { FeedPages, type Listing, MAX_LISTED } from "./pages.ts";
import { PollPace } from "./poll-pace.ts";
import { withResume } from "./resume-error.ts";
import type { ResumeTokens } from "./resume-token.ts";
import type { TokenIds } from "./token-ids.ts";
import type { Ending, Watcher } from "./watcher.ts";
import { FeedWindow } from "./window.ts";

/** Where a watcher wants to start. */
export interface Beginning extends Pick<FeedStart, "backlog" | "after" | "heartbeatMs" | "token"> {
  /** What its token says. */
  readonly ids: TokenIds | undefined;
}

/** What a feed stands on. */
export interface FeedOptions {
  readonly name: FeedName;
  /** What tokens name: the feed, whoever watches it. */
  readonly id: string;
  readonly adapter: PollAdapter;
  readonly parts: FeedParts;
  readonly message: MessageShape<DescMessage>;
  readonly clock: Clock;
  readonly tokens: ResumeTokens;
  readonly bus: FeedBus;
  readonly graceMs: number;
  /** When it may be polled first, on the clock's monotonic scale. */
  readonly mayPollAt: number;
  /** Makes the call of one poll. */
  readonly call: (header: () => Headers, signal: AbortSignal) => Poll;
  /** The error of a process that ends. */
  readonly closed: () => ConnectError;
  /** Is called once, when it is over. */
  readonly onClosed: (mayPollAt: number) => void;
}

/** One poll. */
export interface Poll {
  readonly call: RunningCall<PollAdapter>;
  /** Checks first that it asks as who watches: credentials may come to be those of somebody else. */
  readonly check: () => Promise<void>;
}

/** How many polls a watcher waits for what its token has and the feed does not. */
const AHEAD_POLLS = 8;
/** After so many entries with news, one with everything lets a bus forget those before. */
const NEWS_PER_WINDOW = 64;
/** The items of an entry with news are at most so many bytes, or one item. */
const MAX_NEWS_BYTES = 4 * 1024 * 1024;
const MIN_HEARTBEAT_MS = 1_000;
/** How many different ways to start are kept ready at a position. */
const MAX_PREPARED = 16;

/** What a watcher starts with. */
interface Start {
  readonly batches: readonly Batch[];
  /** What its token has and the feed does not know. */
  readonly ahead: TokenIds | undefined;
}

/** One feed as one identity sees it: it is polled once for all who watch it here, and by one process of those on a bus. */
export class Feed {
  private readonly options: FeedOptions;
  private readonly window = new FeedWindow();
  private readonly pages: FeedPages;
  private readonly pace: PollPace;
  private readonly watchers = new Set<Watcher>();
  /** Those who wait for the first poll. */
  private readonly starting = new Map<Watcher, Beginning>();
  private readonly beats = new Map<Watcher, () => void>();
  private readonly seat: FeedSeat;
  /** By what a watcher asks for, what it starts with at this position. */
  private readonly prepared = new Map<string, Start>();
  /** By what is ahead, the message that says that nothing happens. */
  private readonly heartbeats = new Map<TokenIds | undefined, Batch>();
  /** As whom it was polled last. */
  private asker: Pick<Watcher, "header" | "runAs"> = { header: () => new Headers(), runAs: (work) => work() };
  /** Whether it is known what the feed lists. */
  private isKnown = false;
  private isClosed = false;
  /** It lists as much as it ever does. */
  private isFull = false;
  private leading: AbortController | undefined;
  /** With which entries are published while it polls. */
  private fence = 0n;
  /** A poll is under way. */
  private isAsking = false;
  private stopGrace: (() => void) | undefined;
  /** On the clock's monotonic scale. */
  private nextAt: number;
  private deliveredAt = 0;
  private failure: Heartbeat["failure"];
  private newsSinceWindow = Number.POSITIVE_INFINITY;

  constructor(options: FeedOptions) {
    const { adapter, clock, bus, name } = options;
    this.options = options;
    this.nextAt = options.mayPollAt;
    this.pace = new PollPace(adapter.intervalHeader, adapter.intervalMs, clock);
    this.pages = new FeedPages(({ header }) => this.pace.onResponse(header, adapter.intervalMs));
    this.seat = bus.join(name, this.member);
  }

  /** How many watch it. */
  get size(): number {
    return this.watchers.size;
  }

  add(watcher: Watcher, beginning: Beginning): void {
    this.stopGrace?.();
    this.stopGrace = undefined;
    this.watchers.add(watcher);
    if (beginning.heartbeatMs !== undefined) {
      this.beat(watcher, Math.max(beginning.heartbeatMs, MIN_HEARTBEAT_MS), this.options.clock.monotonic());
    }
    if (this.isKnown) {
      this.begin(watcher, beginning);
    } else {
      this.starting.set(watcher, beginning);
    }
  }

  /** Takes away a watcher that has left; the last one's leaving ends the feed after a while. */
  remove(watcher: Watcher): void {
    this.watchers.delete(watcher);
    this.starting.delete(watcher);
    this.beats.get(watcher)?.();
    this.beats.delete(watcher);
    if (this.watchers.size > 0 || this.isClosed) return;
    this.stopGrace ??= this.options.clock.after(this.options.graceMs, () => this.close());
  }

  /** Ends all who watch, with a last message that has their token. */
  drain(): void {
    const error = this.options.closed();
    if (this.isKnown) this.deliver([...this.watchers], [], false);
    this.end((token) => withResume(error, token));
  }

  /** Ends it. Nobody watches it any more. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.stopGrace?.();
    this.leading?.abort();
    // a seat that cannot be left is left by its lease
    this.seat?.leave().catch(() => undefined);
    // a poll that is cut has been made
    const wait = this.isAsking ? this.pace.intervalMs : 0;
    this.options.onClosed(Math.max(this.nextAt, this.options.clock.monotonic() + wait));
  }

  private end(ending: Ending): void {
    for (const watcher of [...this.watchers]) watcher.end(ending);
    this.close();
  }

  private readonly member: FeedMember = {
    start: (entries) => {
      const all = entries.map(decodeFeedEntry);
      if (!all.some((entry) => this.isRecent(entry))) return;
      for (const entry of all) if (!this.isClosed) this.onEntry(entry);
    },
    lead: (fence) => {
      this.fence = fence;
      this.newsSinceWindow = Number.POSITIVE_INFINITY;
      // who polls already goes on with the poll that runs
      if (this.leading !== undefined) return;
      const leading = new AbortController();
      this.leading = leading;
      this.lead(leading.signal).catch((cause) => {
        if (!leading.signal.aborted) this.broken(cause);
      });
    },
    follow: () => {
      this.leading?.abort();
      this.leading = undefined;
    },
    entry: (bytes) => {
      const entry = decodeFeedEntry(bytes);
      if (!this.isClosed) this.onEntry(entry);
    },
  };

  /**
   * What nobody has polled for long says nothing of now: who starts with what is new would get all that has happened since. Clocks of
   * other processes may be wrong, which costs a poll at most.
   */
  private isRecent({ polledAt, intervalMs }: FeedEntry): boolean {
    return this.options.clock.now() - polledAt <= 2 * intervalMs + MAX_BACKOFF_MS;
  }

  /** What another process has found. */
  private onEntry({ kind, items, listed, gap, full, polledAt, intervalMs }: FeedEntry): void {
    const { clock } = this.options;
    this.pace.follow(intervalMs);
    // clocks of other processes may be wrong: at most one interval is waited for their sake
    const wait = Math.min(Math.max(polledAt + this.pace.intervalMs - clock.now(), 0), this.pace.intervalMs);
    this.nextAt = clock.monotonic() + wait;
    this.failure = undefined;
    this.heartbeats.clear();
    if (kind === "poll") return;
    this.isFull = full;
    const news = this.window.apply(listed, items);
    // a process that has paused may have missed entries, which the bus keeps no longer
    const hasMissed = this.isKnown && full && news.isApart && news.items.length > 0;
    this.arrived(news.items, gap || hasMissed);
  }

  private async lead(signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    // its first step is not the caller's, who may still be making it
    await Promise.resolve();
    while (!signal.aborted) {
      for (let left = this.nextAt - clock.monotonic(); left > 0; left = this.nextAt - clock.monotonic()) {
        await sleep(Math.min(left, MAX_DELAY_MS), clock, signal);
      }
      await this.poll(signal);
    }
  }

  private async poll(signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    // the newest has the freshest credentials of those with the same name; who has left may have logged out
    for (const watcher of this.watchers) this.asker = watcher;
    const { header, runAs } = this.asker;
    const poll = this.options.call(header, signal);
    const { call } = poll;
    this.isAsking = true;
    const { error } = await runAs(() => this.ask(poll));
    this.isAsking = false;
    if (signal.aborted) return;
    const wait = this.pace.next(error);
    if (wait === undefined) {
      const failure = call.errorOf(error);
      this.end((token) => withResume(failure, token));
      return;
    }
    this.nextAt = clock.monotonic() + wait;
    this.heartbeats.clear();
    this.seat.interval(this.pace.intervalMs);
    if (error === undefined || this.isKnown) {
      const most = this.options.parts.pages?.max ?? 1;
      this.onListing(this.pages.listing(most, error === undefined));
    }
    this.failed(error === undefined ? undefined : call.errorOf(error));
  }

  private async ask({ call, check }: Poll): Promise<{ readonly error?: unknown }> {
    const { message } = this.options;
    try {
      await check();
    } catch (error) {
      return { error };
    }
    return await this.pages.poll(call, call.request(message), (key) => this.window.has(key));
  }

  private onListing({ keys: onPages, items, isComplete, isFull }: Listing): void {
    // who starts now gets also what is on pages that could not be read, and what has left while they were read for the first time
    const others = this.isKnown
      ? isComplete
        ? []
        : this.window.keys
      : items.map(({ key }) => key).reverse();
    const keys = [...new Set([...onPages, ...others])].slice(0, MAX_LISTED);
    const changed = this.window.differs(keys);
    const known = new Set(keys.filter((key) => this.window.has(key)));
    const lateKeys = this.isKnown ? keysBehind(keys, known) : new Set<string>();
    const marked = items.map((item) => (lateKeys.has(item.key) ? { ...item, late: true } : item));
    const news = this.window.apply(keys, marked);
    if (isComplete) this.isFull = isFull;
    const gap = this.isKnown && isComplete && isFull && news.isApart && news.items.length > 0;
    this.arrived(news.items, gap);
    this.publish(news.items, gap, changed);
  }

  /** Delivers news to those who have started, and lets the others start. */
  private arrived(items: readonly FeedItem[], gap: boolean): void {
    const started = [...this.watchers].filter((watcher) => !this.starting.has(watcher));
    const starting = [...this.starting];
    this.starting.clear();
    this.isKnown = true;
    this.prepared.clear();
    this.heartbeats.clear();
    if (items.length > 0 || gap) this.deliver(started, items, gap);
    for (const watcher of started) {
      if (watcher.ahead !== undefined && --watcher.aheadPolls <= 0) watcher.ahead = undefined;
    }
    for (const [watcher, beginning] of starting) this.begin(watcher, beginning);
  }

  /** Items that all get alike, but for those whose token has some of them. */
  private deliver(watchers: readonly Watcher[], items: readonly FeedItem[], gap: boolean): void {
    this.deliveredAt = this.options.clock.monotonic();
    const written = new Map<TokenIds | undefined, readonly Batch[]>();
    for (const watcher of watchers) {
      const { ahead } = watcher;
      let batches = written.get(ahead);
      if (batches === undefined) {
        const lacking = ahead === undefined ? items : items.filter(({ key }) => !ahead.has(key));
        batches = this.batches(lacking, gap, ahead);
        written.set(ahead, batches);
      }
      watcher.offer(batches);
    }
  }

  /** Items as messages, each with the token of where it leads; one without items where there are none. */
  private batches(items: readonly FeedItem[], gap: boolean, ahead?: TokenIds): readonly Batch[] {
    const groups = batchesOf(items);
    if (groups.length === 0) groups.push([]);
    const pending = new Set(items.map(({ key }) => key));
    return groups.map((group, index) => {
      for (const { key } of group) pending.delete(key);
      const head = { late: group[0]?.late ?? false, gap: gap && index === 0 };
      return this.write(group, { ...head, token: this.token(ahead, (key) => pending.has(key)) });
    });
  }

  private write(items: readonly FeedItem[], head: BatchHead): Batch {
    return writeBatch(this.options.parts.batch, items, head);
  }

  private token(ahead?: TokenIds, isPending: (key: string) => boolean = () => false): string {
    return this.options.tokens.write(this.options.id, this.window.tokenKeys(isPending), ahead);
  }

  /** Gives a watcher what it starts with. */
  private begin(watcher: Watcher, beginning: Beginning): void {
    const kind = JSON.stringify([beginning.token, beginning.after, beginning.backlog]);
    let start = this.prepared.get(kind);
    if (start === undefined) {
      start = this.startOf(beginning);
      if (this.prepared.size < MAX_PREPARED) this.prepared.set(kind, start);
    }
    watcher.ahead = start.ahead;
    watcher.aheadPolls = AHEAD_POLLS;
    watcher.offer(start.batches);
  }

  private startOf({ ids, after, backlog }: Beginning): Start {
    const { window } = this;
    if (ids !== undefined) {
      const ahead = ids.without(window.knownKeys);
      const { items, isCut } = window.missing((key) => ids.has(key));
      const isApart = items.length > 0 && !window.keys.some((key) => ids.has(key));
      return { batches: this.batches(items, isCut || (isApart && this.isFull), ahead), ahead };
    }
    if (after !== undefined) {
      const newer = window.newerThan(after);
      const { items, isCut } = window.missing((key) => newer !== undefined && !newer.has(key));
      // nothing in front of it is late; and where it is not listed any more, nobody knows what was behind it
      return { batches: this.batches(items, isCut || newer === undefined), ahead: undefined };
    }
    const { items, isCut } = window.missing(() => backlog !== true);
    return { batches: this.batches(items, isCut), ahead: undefined };
  }

  private broken(cause: unknown): void {
    const { method, rules } = this.options.adapter;
    const names = { upstream: rules.upstream, method: fullName(method), step: "polling the feed" };
    const error = restError("ADAPTER_FAILED", names, { cause });
    this.end((token) => withResume(error, token));
  }

  private publish(items: readonly FeedItem[], gap: boolean, changed: boolean): void {
    const kind: FeedEntryKind =
      this.newsSinceWindow >= NEWS_PER_WINDOW ? "window" : items.length > 0 || changed ? "news" : "poll";
    this.newsSinceWindow = kind === "window" ? 0 : this.newsSinceWindow + (kind === "news" ? 1 : 0);
    for (const part of this.partsOf(kind, items)) this.send({ ...part, gap });
  }

  private *partsOf(
    kind: FeedEntryKind,
    items: readonly FeedItem[],
  ): Generator<Omit<FeedEntry, "gap">, undefined> {
    const { clock } = this.options;
    const head = { kind, polledAt: clock.now(), intervalMs: this.pace.intervalMs, full: this.isFull };
    const { keys: listed } = this.window;
    if (kind === "poll") {
      yield { ...head, items: [], listed: [] };
    } else if (kind === "window") {
      yield { ...head, items: this.window.missing(() => false).items, listed };
    } else {
      const pending = new Set(items.map(({ key }) => key));
      for (const part of partsBySize(items)) {
        for (const { key } of part) pending.delete(key);
        yield { ...head, items: part, listed: listed.filter((key) => !pending.has(key)) };
      }
    }
    return undefined;
  }

  private send(entry: FeedEntry): void {
    const { leading, fence } = this;
    const stop = (isCurrent: boolean) => {
      if (isCurrent || this.leading !== leading || this.fence !== fence) return;
      this.member.follow();
    };
    // a seat never rejects
    this.seat.publish(encodeFeedEntry(entry), fence, entry.kind).then(stop, () => undefined);
  }

  /** Says at once that polls fail, or no longer do, to those who asked for heartbeats. */
  private failed(error: ConnectError | undefined): void {
    const changed = (this.failure === undefined) !== (error === undefined);
    this.failure =
      error === undefined
        ? undefined
        : { code: error.code, reason: reasonOf(error) ?? Code[error.code], message: error.rawMessage };
    if (!changed) return;
    this.heartbeats.clear();
    for (const watcher of [...this.beats.keys()]) this.heartbeat(watcher);
  }

  private beat(watcher: Watcher, ms: number, since: number): void {
    const { clock } = this.options;
    const left = Math.max(since + ms - clock.monotonic(), 1);
    const stop = clock.after(Math.min(left, MAX_DELAY_MS), () => {
      const last = Math.max(this.deliveredAt, since);
      const isDue = clock.monotonic() - last >= ms;
      if (isDue) this.heartbeat(watcher);
      // a watcher that was dropped by this has taken its timer away
      if (this.watchers.has(watcher)) this.beat(watcher, ms, isDue ? clock.monotonic() : last);
    });
    this.beats.set(watcher, stop);
  }

  private heartbeat(watcher: Watcher): void {
    // who has not read the last one needs no other
    if (!watcher.isIdle) return;
    const started = this.isKnown && !this.starting.has(watcher);
    if (!started) {
      // there is no position yet but the one that it came with
      watcher.offer([this.heartbeatWith(watcher.position ?? "")]);
      return;
    }
    let batch = this.heartbeats.get(watcher.ahead);
    if (batch === undefined) {
      batch = this.heartbeatWith(this.token(watcher.ahead));
      this.heartbeats.set(watcher.ahead, batch);
    }
    watcher.offer([batch]);
  }

  private heartbeatWith(token: string): Batch {
    const { clock } = this.options;
    const isLed = this.leading !== undefined;
    const nextPollAt = isLed ? clock.now() + Math.max(this.nextAt - clock.monotonic(), 0) : undefined;
    return this.write([], { token, heartbeat: { nextPollAt, failure: this.failure } });
  }
}

/** Keys that are behind a known one, newest first. */
function keysBehind(keys: readonly string[], known: ReadonlySet<string>): ReadonlySet<string> {
  const first = keys.findIndex((key) => known.has(key));
  return new Set(first < 0 ? [] : keys.slice(first).filter((key) => !known.has(key)));
}

function partsBySize(items: readonly FeedItem[]): FeedItem[][] {
  const parts: FeedItem[][] = [[]];
  let size = 0;
  for (const item of items) {
    const last = parts.at(-1) as FeedItem[];
    if (last.length > 0 && size + item.bytes.length > MAX_NEWS_BYTES) {
      parts.push([item]);
      size = 0;
    } else {
      last.push(item);
    }
    size += item.bytes.length;
  }
  return parts;
}
