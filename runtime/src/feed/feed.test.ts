import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";
import { Timeline } from "../testing/timeline.ts";
import { closeWatching, settled, startWatching, type Watching } from "../testing/watching.ts";

afterEach(closeWatching);

/** Longer than a poll interval, including its random delay. */
const NEXT = 61_000;

const LIMITED = [
  {
    status: 403,
    header: { name: "x-ratelimit-remaining", value: "0" },
    code: Code.ResourceExhausted,
    reason: "RATE_LIMITED",
  },
];
const RESET = [{ header: "x-ratelimit-reset", format: "epoch" }] as const;

function errorOf(watching: Watching): ConnectError {
  if (watching.error instanceof ConnectError) return watching.error;
  throw new Error(`expected a ConnectError, got ${String(watching.error)}`);
}

const resumeOf = (watching: Watching) => errorOf(watching).findDetails(ResumeSchema)[0]?.token;

test("a watcher without a backlog first gets a token, and then new events, oldest first", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3];
  const watcher = watching();
  await settled();
  expect(watcher.batches).toHaveLength(1);
  expect([watcher.ids, watcher.token === ""]).toEqual([[], false]);
  timeline.add(4);
  timeline.add(5);
  clock.advance(NEXT);
  await settled();
  expect(watcher.ids).toEqual([4, 5]);
});

test("a watcher that starts with the backlog gets all pages of the feed, oldest first, and none of the events is late", async () => {
  const { timeline, watching } = startWatching();
  timeline.ids = [1, 2, 3, 4, 5, 6, 7];
  const watcher = watching({ backlog: true });
  await settled();
  expect(watcher.ids).toEqual([2, 3, 4, 5, 6, 7]);
  expect(watcher.batches.some(({ late, gap }) => late || gap)).toBe(false);
  expect(timeline.requests.map(({ page }) => page)).toEqual([1, 2, 3]);
});

test("a watcher that starts after an event gets all newer events, or all events with a gap if that event is no longer listed", async () => {
  const { timeline, watching } = startWatching();
  timeline.ids = [1, 2, 3, 4];
  const [behind, gone] = [watching({ afterId: "2" }), watching({ afterId: "99" })];
  await settled();
  expect([behind.ids, behind.batches.some(({ gap }) => gap)]).toEqual([[3, 4], false]);
  expect([gone.ids, gone.batches[0]?.gap]).toEqual([[1, 2, 3, 4], true]);
});

test("each page is requested with its own tag, and a 304 means that the page has not changed", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3, 4, 5];
  watching();
  await settled();
  const tags = timeline.requests.length;
  clock.advance(NEXT);
  await settled();
  const second = timeline.requests.slice(tags);
  expect(second.map(({ page, status }) => [page, status])).toEqual([
    [1, 304],
    [2, 304],
    [3, 304],
  ]);
  expect(new Set(second.map(({ tag }) => tag)).size).toBe(3);
});

test("a late event on the second page is delivered and marked while the first page returns 304", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3, 4, 5];
  const watcher = watching();
  await settled();
  timeline.add(10, 3);
  clock.advance(NEXT);
  await settled();
  expect(timeline.requests.slice(-3).map(({ page, status }) => [page, status])).toEqual([
    [1, 304],
    [2, 200],
    [3, 200],
  ]);
  expect(watcher.batches.at(-1)).toMatchObject({ late: true, gap: false, entries: [{ id: 10n }] });
});

test("a page that a late event creates is read even if the full page before it has not changed", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2];
  const watcher = watching();
  await settled();
  timeline.add(10, 2);
  clock.advance(NEXT);
  await settled();
  expect(watcher.batches.at(-1)).toMatchObject({ late: true, entries: [{ id: 10n }] });
});

test("late and new events are in separate messages, the late ones first", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3];
  const watcher = watching();
  await settled();
  timeline.add(10, 1);
  timeline.add(4);
  clock.advance(NEXT);
  await settled();
  const news = watcher.batches.slice(1);
  expect(news.map(({ late, entries }) => [late, entries.map(({ id }) => Number(id))])).toEqual([
    [true, [10]],
    [false, [4]],
  ]);
  // resumes from a position between the two messages
  const resumed = watching({ resumeToken: news[0]?.resumeToken ?? "" });
  await settled();
  expect(resumed.ids).toEqual([4]);
});

test("polls are never earlier than the upstream allows, and at most one second later", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.interval = 90;
  watching();
  await settled();
  const polls = () => timeline.requests.length;
  clock.advance(89_999);
  await settled();
  expect(polls()).toBe(1);
  clock.advance(1_001);
  await settled();
  expect(polls()).toBe(2);
  timeline.interval = 300;
  clock.advance(91_000);
  await settled();
  expect(polls()).toBe(3);
  clock.advance(299_999);
  await settled();
  expect(polls()).toBe(3);
  clock.advance(1_001);
  await settled();
  expect(polls()).toBe(4);
});

test("the interval begins at the end of a poll, so no page is requested too early", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3];
  timeline.onRequest = (page) => {
    if (page === 2) clock.advance(30_000);
  };
  watching();
  await settled();
  const asked = timeline.requests.length;
  clock.advance(59_999);
  await settled();
  expect(timeline.requests).toHaveLength(asked);
});

test("after a 403 that states a reset time, the stream continues exactly at that time", async () => {
  const { timeline, clock, watching } = startWatching({ rules: { errors: LIMITED, retryAfter: RESET } });
  timeline.ids = [1];
  const watcher = watching();
  await settled();
  const reset = Math.ceil(clock.now() / 1000) + 3600;
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) };
  timeline.failure = { status: 403, headers };
  clock.advance(NEXT);
  await settled();
  const asked = timeline.requests.length;
  timeline.failure = undefined;
  timeline.add(2);
  clock.advance(reset * 1000 - clock.now() - 1);
  await settled();
  expect(timeline.requests).toHaveLength(asked);
  clock.advance(1_001);
  await settled();
  expect([watcher.ids, watcher.isOver]).toEqual([[2], false]);
});

test.each([
  [429, { "retry-after": "120" }, 120_000],
  [503, { "retry-after": "120" }, 120_000],
  [503, {}, 60_000],
  [500, {}, 60_000],
  [502, {}, 60_000],
  [429, {}, 60_000],
])("after a response %i with %o, the next poll waits %i ms", async (status, headers, waitMs) => {
  const { timeline, clock, watching } = startWatching();
  timeline.failure = { status, headers };
  const watcher = watching({ backlog: true });
  await settled();
  timeline.failure = undefined;
  timeline.ids = [1];
  clock.advance(waitMs - 1);
  await settled();
  expect([timeline.requests.length, watcher.isOver]).toEqual([1, false]);
  clock.advance(1_001);
  await settled();
  expect(watcher.ids).toEqual([1]);
});

test("the interval grows after consecutive failures, and is reset after a success", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.failure = { status: 500 };
  watching();
  await settled();
  const waits: number[] = [];
  for (let poll = 1; poll <= 6; poll++) {
    let waited = 0;
    while (timeline.requests.length === poll) {
      clock.advance(30_000);
      waited += 30_000;
      await settled();
    }
    waits.push(Math.floor(waited / 60_000));
  }
  expect(waits).toEqual([1, 2, 4, 8, 15, 15]);
  timeline.failure = undefined;
  clock.advance(16 * 60_000);
  await settled();
  const polls = timeline.requests.length;
  clock.advance(NEXT);
  await settled();
  expect(timeline.requests).toHaveLength(polls + 1);
});

test("the events of readable pages are delivered although the next page fails", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3];
  const watcher = watching();
  await settled();
  timeline.add(4);
  timeline.failure = { status: 503, page: 2 };
  clock.advance(NEXT);
  await settled();
  expect(watcher.ids).toEqual([4]);
  timeline.failure = undefined;
  timeline.add(9, 3);
  clock.advance(NEXT);
  await settled();
  expect(watcher.ids).toEqual([4, 9]);
});

test("a message reports a gap if more events were added than the feed lists", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3, 4, 5, 6];
  const watcher = watching();
  await settled();
  timeline.ids = [11, 12, 13, 14, 15, 16, 17];
  clock.advance(NEXT);
  await settled();
  expect(watcher.ids).toEqual([12, 13, 14, 15, 16, 17]);
  expect(watcher.batches.map(({ gap }) => gap)).toEqual([false, true]);
  timeline.add(18);
  clock.advance(NEXT);
  await settled();
  expect(watcher.batches.at(-1)?.gap).toBe(false);
});

test("events that expire in the feed do not cause a gap", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2];
  const watcher = watching();
  await settled();
  timeline.ids = [3];
  clock.advance(NEXT);
  await settled();
  expect([watcher.ids, watcher.batches.some(({ gap }) => gap)]).toEqual([[3], false]);
});

test("a token resumes a stream in another process without loss or repetition, and a gap reports missed events", async () => {
  const timeline = new Timeline();
  timeline.ids = [1, 2, 3];
  const first = startWatching({ timeline });
  const before = first.watching();
  await settled();
  timeline.add(4);
  first.clock.advance(NEXT);
  await settled();
  await first.rest.close();
  timeline.add(5);
  timeline.add(10, 3);
  const { watching } = startWatching({ timeline });
  const after = watching({ resumeToken: before.token });
  await settled();
  expect([before.ids, after.ids]).toEqual([[4], [10, 5]]);
  expect(after.batches.map(({ late, gap }) => [late, gap])).toEqual([
    [true, false],
    [false, false],
  ]);
  timeline.ids = [21, 22, 23, 24, 25, 26];
  const { watching: later } = startWatching({ timeline });
  const lost = later({ resumeToken: after.token });
  await settled();
  expect([lost.ids, lost.batches[0]?.gap]).toEqual([[21, 22, 23, 24, 25, 26], true]);
});

test("an event that a token contains is not delivered again by a process that discovers it later", async () => {
  const timeline = new Timeline();
  timeline.ids = [1, 2, 3];
  const first = startWatching({ timeline });
  const before = first.watching({ backlog: true });
  await settled();
  // another replica of the upstream, which is out of date
  const stale = new Timeline();
  stale.ids = [1, 2];
  const { watching, clock } = startWatching({ timeline: stale });
  const after = watching({ resumeToken: before.token });
  await settled();
  // the token from this moment also contains the event
  const again = watching({ resumeToken: after.token });
  stale.ids = [1, 2, 3, 4];
  clock.advance(NEXT);
  await settled();
  expect([after.ids, again.ids]).toEqual([[4], [4]]);
});

test("an event that disappears from the feed for a while is not delivered again", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3];
  const watcher = watching();
  for (const ids of [
    [1, 2, 3],
    [1, 3],
    [1, 3, 4],
    [1, 2, 3, 4],
  ]) {
    timeline.ids = ids;
    clock.advance(NEXT);
    await settled();
  }
  expect(watcher.ids).toEqual([4]);
  const resumed = watching({ resumeToken: watcher.token });
  await settled();
  expect(resumed.ids).toEqual([]);
});

test("an event that moves to the next page while the pages are being read is delivered once", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1, 2, 3, 4];
  const watcher = watching({ backlog: true });
  await settled();
  timeline.onRequest = (page) => {
    if (page === 2) timeline.add(100 + timeline.requests.length);
  };
  timeline.add(5);
  for (let poll = 0; poll < 3; poll++) {
    clock.advance(NEXT);
    await settled();
  }
  expect(watcher.ids).toEqual([...new Set(watcher.ids)]);
  expect(new Set(watcher.ids)).toEqual(new Set(timeline.ids.slice(0, -1)));
});

test.each([
  [301, { location: "https://api.example/feeds/eve" }, Code.FailedPrecondition, "MOVED"],
  [401, {}, Code.Unauthenticated, "UNAUTHORIZED"],
  [403, {}, Code.PermissionDenied, "FORBIDDEN"],
  [404, {}, Code.NotFound, "NOT_FOUND"],
])(
  "a %i in the middle of a stream ends it with an error that contains the token",
  async (status, headers, code, reason) => {
    const { timeline, clock, watching } = startWatching();
    timeline.ids = [1];
    const [watcher, other] = [watching(), watching({ backlog: true })];
    await settled();
    timeline.failure = { status, headers };
    clock.advance(NEXT);
    await settled();
    for (const each of [watcher, other]) {
      const error = errorOf(each);
      expect([error.code, reasonOf(error)]).toEqual([code, reason]);
      expect(resumeOf(each)).toBe(each.token);
    }
    timeline.failure = undefined;
    timeline.add(2);
    const again = watching({ resumeToken: watcher.token });
    await settled();
    expect(again.ids).toEqual([2]);
  },
);

test("ten thousand watchers of a feed cause one poll per interval, and receive the same messages", async () => {
  const { timeline, clock, watching, rest } = startWatching();
  timeline.ids = [1];
  const watchers = Array.from({ length: 10_000 }, () => watching());
  while (watchers.some(({ batches }) => batches.length === 0)) await settled();
  timeline.add(2);
  clock.advance(NEXT);
  while (watchers.some(({ ids }) => ids.length === 0)) await settled();
  expect(timeline.requests.map(({ page, status }) => [page, status])).toEqual([
    [1, 200],
    [1, 200],
  ]);
  expect(new Set(watchers.map(({ token }) => token)).size).toBe(1);
  await rest.close();
  await Promise.all(watchers.map(({ over }) => over));
});

test("feeds that differ only in case share a poller if their fields are case-insensitive", async () => {
  const { timeline, watching } = startWatching();
  for (const owner of ["ada", "Ada", "ADA"]) watching({ owner });
  watching({ owner: "eve" });
  await settled();
  expect(timeline.requests.map(({ path }) => path).sort()).toEqual([
    "/feeds/ada?per_page=2",
    "/feeds/eve?per_page=2",
  ]);
});

test("a caller with different credentials has a separate poller, and never receives events of other callers", async () => {
  const { timeline, watching } = startWatching({
    rules: { credentials: ["oauth2"] },
    upstream: {
      credentials: ({ header }) => ({ oauth2: { accessToken: header.get("x-token") ?? "" } }),
    },
  });
  for (const token of ["a", "b", "a"]) watching({}, { "x-token": token });
  await settled();
  expect(timeline.requests.map(({ authorization }) => authorization).sort()).toEqual([
    "Bearer a",
    "Bearer b",
  ]);
});

test("watchers share a feed only if the secrets of their tokens are equal, not just the names", async () => {
  const oauth1 = { consumerKey: "ck", consumerSecret: "cs", token: "t" };
  const { timeline, watching } = startWatching({
    rules: { credentials: ["oauth1"] },
    upstream: {
      credentials: ({ header }) => ({ oauth1: { ...oauth1, tokenSecret: header.get("x-secret") ?? "" } }),
    },
  });
  for (const secret of ["right", "wrong"]) watching({}, { "x-secret": secret });
  await settled();
  expect(timeline.requests).toHaveLength(2);
});

test("watchers with the same owner share a poller across token refreshes, and the poller sends the newest token", async () => {
  const { timeline, clock, watching } = startWatching({
    rules: { credentials: ["oauth2"] },
    upstream: {
      credentials: ({ header }) => ({
        owner: "session-7",
        oauth2: { accessToken: header.get("x-token") ?? "" },
      }),
    },
  });
  watching({}, { "x-token": "old" });
  await settled();
  watching({}, { "x-token": "refreshed" });
  await settled();
  clock.advance(NEXT);
  await settled();
  expect(timeline.requests.map(({ authorization }) => authorization)).toEqual([
    "Bearer old",
    "Bearer refreshed",
  ]);
});

test("the poller ends some time after the last watcher has left, and the next poller polls no earlier than allowed", async () => {
  const { timeline, clock, watching, rest } = startWatching({ watch: { graceMs: 5_000 } });
  timeline.interval = 100;
  const [first, second] = [watching(), watching()];
  await settled();
  await first.leave();
  clock.advance(30_000);
  await settled();
  await second.leave();
  expect(clock.running).toBe(2);
  clock.advance(5_000);
  await settled();
  expect(clock.running).toBe(0);
  const third = watching();
  await settled();
  expect([timeline.requests.length, third.batches.length]).toEqual([1, 0]);
  clock.advance(64_999);
  await settled();
  expect(timeline.requests).toHaveLength(1);
  clock.advance(1_001);
  await settled();
  expect([timeline.requests.length, third.batches.length]).toEqual([2, 1]);
  await rest.close();
});

test("a watcher that returns within the grace period uses the same poller", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1];
  const first = watching();
  await settled();
  await first.leave();
  clock.advance(30_000);
  const second = watching({ resumeToken: first.token });
  await settled();
  expect([timeline.requests.length, second.batches.length]).toEqual([1, 1]);
});

test("a deadline or a cancellation ends a stream immediately, even during a request to the upstream", async () => {
  const { timeline, watching } = startWatching();
  timeline.gate = new Promise(() => undefined);
  const watcher = watching();
  await settled();
  await watcher.leave();
  expect(errorOf(watcher).code).toBe(Code.Canceled);
});

test("closing ends every stream with UNAVAILABLE, after a last message with the token", async () => {
  const { timeline, rest, watching } = startWatching();
  timeline.ids = [1];
  const watcher = watching();
  await settled();
  const messages = watcher.batches.length;
  rest.drain();
  await watcher.over;
  expect(watcher.batches).toHaveLength(messages + 1);
  expect([errorOf(watcher).code, reasonOf(errorOf(watcher))]).toEqual([Code.Unavailable, "WATCH_DRAINED"]);
  expect(resumeOf(watcher)).toBe(watcher.token);
  const late = watching();
  await late.over;
  expect(reasonOf(errorOf(late))).toBe("WATCH_DRAINED");
});

test("heartbeats arrive only if requested, and state the time of the next poll and the current failure", async () => {
  const { timeline, clock, watching } = startWatching();
  timeline.ids = [1];
  const [watcher, silent] = [watching({ heartbeatMs: 20_000 }), watching()];
  await settled();
  clock.advance(20_000);
  await settled();
  const beat = watcher.batches.at(-1)?.heartbeat;
  const next = Number(beat?.nextPollTime?.seconds) * 1000;
  expect(next - clock.now()).toBeGreaterThan(39_000);
  expect(next - clock.now()).toBeLessThan(41_000);
  expect(beat?.failure).toBeUndefined();
  timeline.failure = { status: 503 };
  clock.advance(41_000);
  await settled();
  expect(watcher.batches.at(-1)?.heartbeat?.failure).toMatchObject({
    code: Code.Unavailable,
    reason: "SERVICE_UNAVAILABLE",
  });
  timeline.failure = undefined;
  clock.advance(NEXT);
  await settled();
  expect(watcher.batches.at(-1)?.heartbeat?.failure).toBeUndefined();
  expect(silent.batches).toHaveLength(1);
});

test("a watcher of a feed that was never read receives the error without a token, since a token would imply a position", async () => {
  const { timeline, watching } = startWatching();
  timeline.failure = { status: 503 };
  const watcher = watching({ heartbeatMs: 20_000 });
  await settled();
  expect(
    watcher.batches.map(({ resumeToken, heartbeat }) => [resumeToken, heartbeat?.failure?.reason]),
  ).toEqual([["", "SERVICE_UNAVAILABLE"]]);
});

test("a watcher or feed that exceeds the limits is rejected", async () => {
  const { watching } = startWatching({ watch: { maxWatchers: 3, maxFeeds: 2 } });
  const [first] = [watching(), watching({ owner: "eve" })];
  await settled();
  const third = watching({ owner: "joe" });
  await third.over;
  expect(errorOf(third).message).toBe(
    "[resource_exhausted] test.v1.FeedService.Watch: the limit of 2 watched feeds is reached; try again later",
  );
  watching();
  await settled();
  const fifth = watching();
  await fifth.over;
  expect(errorOf(fifth).message).toContain("the limit of 3 watchers is reached");
  await first?.leave();
  const sixth = watching();
  await settled();
  expect(sixth.isOver).toBe(false);
});

test("a feed without watchers is closed to make room for another feed", async () => {
  const { watching } = startWatching({ watch: { maxFeeds: 1 } });
  const first = watching();
  await settled();
  await first.leave();
  const second = watching({ owner: "eve" });
  await settled();
  expect([second.isOver, second.batches.length]).toEqual([false, 1]);
});

test.each([
  ["damaged", "x".repeat(40), "one that is damaged or not of this service"],
  ["not a token", "not a token!", "one that is damaged or not of this service"],
  ["huge", "A".repeat(100_000), "one that is damaged or not of this service"],
])("a resume token that is %s is rejected", async (_what, resumeToken, problem) => {
  const { watching } = startWatching();
  const watcher = watching({ resumeToken });
  await watcher.over;
  expect(errorOf(watcher).message).toBe(
    `[invalid_argument] test.v1.FeedService.Watch: resume_token: expected a resume token of this feed, exactly as received, got ${problem}; start without a token`,
  );
  expect(reasonOf(errorOf(watcher))).toBe("RESUME_TOKEN_INVALID");
});

test("a resume token of another feed or with an unknown key is rejected, and a token with an older key is accepted", async () => {
  const { watching } = startWatching();
  const watcher = watching();
  await settled();
  const foreign = watching({ owner: "eve", resumeToken: watcher.token });
  await foreign.over;
  expect(errorOf(foreign).message).toContain("got one of another feed");
  const resumeKey = "f".repeat(32);
  const forged = startWatching({ watch: { resumeKey } }).watching({ resumeToken: watcher.token });
  await forged.over;
  expect(errorOf(forged).message).toContain("got one that is damaged or not of this service");
  const rotated = startWatching({ watch: { resumeKey: [resumeKey, "0123456789abcdef0123456789abcdef"] } });
  const resumed = rotated.watching({ resumeToken: watcher.token });
  await settled();
  expect(resumed.error).toBeUndefined();
});

test("a request with two start positions is rejected", async () => {
  const { watching } = startWatching();
  const watcher = watching({ backlog: true, afterId: "1" });
  await watcher.over;
  expect(errorOf(watcher).message).toBe(
    "[invalid_argument] test.v1.FeedService.Watch: expected one field that says where the feed starts, got backlog, after_id",
  );
});
