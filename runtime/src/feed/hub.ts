import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { Clock } from "connect-rest-codec/internal";
import type { FeedParts, FeedStart, PollAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { CallContext } from "../call/call-context.ts";
import type { Route } from "../call/routes.ts";
import type { RunningCall } from "../call/running-call.ts";
import type { WatchSettings } from "../call/watch-options.ts";
import { namesOf } from "../errors/names.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import type { UpstreamIdentity } from "../upstream/upstream.ts";
import { Feed } from "./feed.ts";
import { FeedHolders } from "./feed-holders.ts";
import { withResume } from "./resume-error.ts";
import { ResumeTokens, type TokenFault } from "./resume-token.ts";
import type { StartPoint } from "./start.ts";
import type { TokenIds } from "./token-ids.ts";
import { type Ending, Watcher } from "./watcher.ts";

/** A call that watches a feed. */
export interface WatchRequest {
  readonly call: RunningCall<PollAdapter>;
  readonly message: MessageShape<DescMessage>;
  /** Called when a message or the end is available. The callback must not throw. */
  readonly onReady: () => void;
}

/** Creates the call of one poll, which does not depend on the calls of watchers. */
type MakePoll = (route: Route<PollAdapter>, context: CallContext) => RunningCall<PollAdapter>;

const FAULTS: Readonly<Record<TokenFault, string>> = {
  damaged: "one that is damaged or not of this service",
  version: "one of another version",
  foreign: "one of another feed",
};

/** The context of a poll. The identity check fills in the credentials for the poll. */
type PollContext = { -readonly [K in keyof CallContext]: CallContext[K] };

/**
 * The maximum number of cached decoded tokens. Many clients that reconnect at the same time have the same
 * token.
 */
const MAX_READ_TOKENS = 64;
/** The maximum number of feeds without watchers for which the time of the next allowed poll is remembered. */
const MAX_RESTING = 10_000;

/** All watched feeds of a process, with one poller for each feed and identity. */
export class FeedHub {
  private readonly settings: WatchSettings;
  private readonly clock: Clock;
  private readonly poll: MakePoll;
  private readonly tokens: ResumeTokens;
  private readonly feeds = new Map<string, Feed>();
  private readonly holders: FeedHolders;
  /** The times at which feeds without watchers may be polled again, on the clock's monotonic scale. */
  private readonly resting = new Map<string, number>();
  private readonly read = new Map<string, TokenIds>();
  /** Runs polls outside of any call. Otherwise they would keep the async context of the first call alive. */
  private readonly outside = AsyncLocalStorage.snapshot();
  private watcherCount = 0;
  private isDrained = false;

  constructor(settings: WatchSettings, clock: Clock, poll: MakePoll) {
    this.settings = settings;
    this.clock = clock;
    this.poll = poll;
    this.tokens = new ResumeTokens(settings.resumeKeys);
    this.holders = new FeedHolders(settings.maxFeeds);
  }

  /**
   * Starts watching a feed from the start position in the request.
   *
   * @throws ConnectError for a request that cannot be sent or has no credentials; RESUME_TOKEN_INVALID,
   *   FEED_START_AMBIGUOUS, WATCHERS_EXHAUSTED, WATCH_DRAINED
   */
  async watch(request: WatchRequest): Promise<Watcher> {
    const { call, message } = request;
    const { adapter, context, route } = call;
    const parts = partsOf(adapter);
    const start = call.adapted("reading the request", () => parts.start(message));
    checkStart(start, parts, adapter);
    const folded = call.adapted("reading the request", () => parts.fold?.(message) ?? message);
    const id = idOf(adapter, call.request(folded));
    const ids = this.idsOf(id, start.token, parts, adapter);
    const { method, rules } = adapter;
    const { header, signal } = context;
    const identity = await route.upstream.identity({ method, rules, header, signal });
    signal.throwIfAborted();
    const key = `${id} ${identity.name}`;
    const feed = this.feeds.get(key) ?? this.open(key, id, identity, folded, parts, call);
    return this.add(feed, request, { ...start, ids });
  }

  /**
   * Ends all watchers, and rejects new watchers. The last message for each watcher contains its resume token.
   */
  drain(): void {
    this.isDrained = true;
    for (const feed of [...this.feeds.values()]) feed.drain();
  }

  private add(feed: Feed, { call, onReady }: WatchRequest, start: StartPoint): Watcher {
    const { maxWatchers, bufferBytes } = this.settings;
    if (this.watcherCount >= maxWatchers) {
      if (feed.size === 0) feed.close();
      throw exhausted(call.adapter, maxWatchers, "watchers");
    }
    this.watcherCount++;
    const caller = call.caller ?? "";
    this.holders.enter(feed, caller);
    const watcher = new Watcher(
      {
        bufferBytes,
        header: call.context.header,
        runAs: this.settings.asCaller(),
        onReady,
        onLeft: (left) => {
          this.watcherCount--;
          this.holders.leave(feed, caller);
          feed.remove(left);
        },
        tooSlow: (bytes) => tooSlow(call.adapter, bytes, bufferBytes),
      },
      start,
    );
    feed.add(watcher);
    return watcher;
  }

  private open(
    key: string,
    id: string,
    { name: owner, isPublic }: UpstreamIdentity,
    message: MessageShape<DescMessage>,
    parts: FeedParts,
    { adapter, route, caller = "" }: RunningCall<PollAdapter>,
  ): Feed {
    const { maxFeeds, graceMs, bus } = this.settings;
    const drained = () => restError("WATCH_DRAINED", namesOf(adapter));
    if (this.isDrained || route.upstream.closing.aborted) throw drained();
    const full = () => exhausted(adapter, maxFeeds, "watched feeds");
    if (this.feeds.size >= maxFeeds) this.closeIdle();
    if (this.feeds.size >= maxFeeds) this.holders.loser(caller)?.end(full());
    if (this.feeds.size >= maxFeeds) throw full();
    const mayPollAt = this.resting.get(key) ?? 0;
    this.resting.delete(key);
    const { clock, tokens } = this;
    const name = { key: tokens.hash(key), isPublic, intervalMs: adapter.intervalMs };
    const bounds = { expiresAt: undefined, hasCallerDeadline: false, feed: `feed ${name.key}` };
    const feed = this.outside(
      () =>
        new Feed({
          ...{ name, id, adapter, parts, message, clock, tokens, bus, graceMs, mayPollAt },
          call: (header, signal) => {
            const context: PollContext = { header, signal, ...bounds, provided: undefined };
            const check = async () => {
              const { method, rules } = adapter;
              const now = await route.upstream.identity({ method, rules, header, signal });
              if (now.name !== owner) throw changedIdentity(adapter, now);
              context.provided = now.provided;
            };
            return { call: this.poll(route, context), check };
          },
          closed: drained,
          onClosed: (nextAt) => this.closed(key, nextAt),
        }),
    );
    this.feeds.set(key, feed);
    return feed;
  }

  private closed(key: string, nextAt: number): void {
    this.feeds.delete(key);
    const now = this.clock.monotonic();
    if (nextAt <= now) return;
    this.resting.set(key, nextAt);
    if (this.resting.size <= MAX_RESTING) return;
    for (const [other, at] of this.resting) {
      if (at <= now || this.resting.size > MAX_RESTING) this.resting.delete(other);
    }
  }

  /** Closes a feed without watchers to make room for a new feed. */
  private closeIdle(): void {
    for (const feed of [...this.feeds.values()]) {
      if (feed.size > 0) continue;
      feed.close();
      return;
    }
  }

  private idsOf(
    id: string,
    token: string | undefined,
    parts: FeedParts,
    { method }: PollAdapter,
  ): TokenIds | undefined {
    if (token === undefined) return undefined;
    const readBefore = this.read.get(`${id} ${token}`);
    if (readBefore !== undefined) return readBefore;
    const ids = this.tokens.read(id, token);
    if (typeof ids === "string") {
      const field = parts.startFields.token ?? "token";
      throw restError("RESUME_TOKEN_INVALID", { method: fullName(method), field, problem: FAULTS[ids] });
    }
    this.read.set(`${id} ${token}`, ids);
    for (const oldest of this.read.keys()) {
      if (this.read.size <= MAX_READ_TOKENS) break;
      this.read.delete(oldest);
    }
    return ids;
  }
}

function partsOf({ feed, method }: PollAdapter): FeedParts {
  if (feed === undefined) throw new Error(`${fullName(method)} has no batches`);
  return feed;
}

function checkStart(start: FeedStart, { startFields }: FeedParts, { method }: PollAdapter): void {
  const given = (["backlog", "after", "token"] as const).filter((key) => start[key] !== undefined);
  if (given.length <= 1) return;
  const fields = given.map((key) => startFields[key] ?? key).join(", ");
  throw restError("FEED_START_AMBIGUOUS", { method: fullName(method), fields });
}

/** Returns the ID of a feed, which is the same for all watchers. */
function idOf({ method, rules }: PollAdapter, request: RestRequest): string {
  const { verb, path, queryString, headers, body } = request;
  const parts = [fullName(method), rules.upstream, rules.base, verb, path, queryString, headers, body];
  return JSON.stringify(parts, (_key, value) => (typeof value === "bigint" ? `${value}n` : value));
}

/** Returns an error that explains how the identity can stay the same when a token is refreshed. */
function changedIdentity(adapter: PollAdapter, { provided }: UpstreamIdentity): Error {
  const change =
    provided === undefined || provided.owner !== undefined
      ? "belong to a different identity than the watchers"
      : "changed, and have no `owner`: to keep streams when a token of the same account is refreshed, let the function that provides the credentials return an owner";
  return restError("FEED_IDENTITY_CHANGED", { ...namesOf(adapter), change });
}

function exhausted({ method }: PollAdapter, limit: number, what: string): ConnectError {
  return restError("WATCHERS_EXHAUSTED", { method: fullName(method), limit, what });
}

function tooSlow({ method }: PollAdapter, bytes: number, limit: number): Ending {
  const error = restError("WATCHER_TOO_SLOW", { method: fullName(method), bytes, limit });
  return (token) => withResume(error, token);
}
