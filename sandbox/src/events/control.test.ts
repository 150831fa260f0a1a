import { afterAll, beforeEach, expect, test } from "vitest";
import { type NewEvent, type Sandbox, startSandbox } from "../index.ts";
import { CREDENTIALS } from "../seed/credentials.ts";
import { ask, type Got } from "../testing/client.ts";

const START = 1_800_000_000_000;
const HOUR = 3_600_000;
const sandbox: Sandbox = await startSandbox({ clock: START });
afterAll(() => sandbox.close());
beforeEach(() => {
  sandbox.clock.freeze(START);
  sandbox.reset();
  Object.assign(sandbox.events, { pollInterval: 60, quotaStatus: 403 });
  sandbox.limits.feedCallsAnonymous = 60;
});

const WATCH: NewEvent = {
  type: "WatchEvent",
  actor: "octavia",
  repo: "octavia/tools",
  payload: { action: "started" },
};
const PATH = "/repos/octavia/tools/events";
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const feed = (path: string, headers: Record<string, string> = {}): Promise<Got> =>
  ask(sandbox.feedUrl + path, { headers });
const ids = (got: Got): string[] => got.json.map((event: { id: string }) => event.id);
const tagged = (got: Got) => ({ "if-none-match": String(got.headers.etag) });
const seconds = (count: number) => sandbox.clock.advance(count * 1000);
const remaining = (got: Got) => got.headers["x-ratelimit-remaining"];

test("an event appears exactly when its latency ends, in the order of creation", async () => {
  const late = sandbox.events.publish({ ...WATCH, latency: 3600 });
  seconds(1);
  const prompt = sandbox.events.publish(WATCH);
  expect(ids(await feed(PATH))[0]).toBe(prompt);
  seconds(3598);
  const before = await feed(PATH);
  expect(ids(before)).not.toContain(late);
  seconds(1);
  expect((await feed(PATH, tagged(before))).status).toBe(200);
  expect(ids(await feed(PATH)).slice(0, 2)).toEqual([prompt, late]);
});

test.each(["by its latency", "by being published late"])(
  "an event that is late %s appears on page two, and page one does not change",
  async (how) => {
    sandbox.events.clear();
    const latency = 2 * 3600;
    const early = how === "by its latency" ? sandbox.events.publish({ ...WATCH, latency }) : undefined;
    const created = sandbox.events.now();
    seconds(1);
    for (let i = 0; i < 3; i++) sandbox.events.publish(WATCH);
    sandbox.clock.advance(HOUR);
    const query = (page: number) => `${PATH}?per_page=3&page=${page}`;
    const first = await feed(query(1));
    const second = await feed(query(2));
    expect([first.headers.link, second.json]).toEqual([undefined, []]);
    sandbox.clock.advance(HOUR);
    const late = early ?? sandbox.events.publish({ ...WATCH, created });
    expect((await feed(query(1), tagged(first))).status).toBe(304);
    expect(ids(await feed(query(2), tagged(second)))).toEqual([late]);
    expect((await feed(query(1))).headers.link).toContain('rel="next"');
  },
);

test("each page, query and timeline has its own entity tag", async () => {
  const asked = ["", "?page=2", "?per_page=30", "?per_page=5", "?per_page=5&page=2", "?x=1"];
  const paths = [...asked.map((query) => PATH + query), "/events", "/users/octavia/events"];
  const got = await Promise.all(paths.map((path) => feed(path)));
  for (const [i, { headers }] of got.entries()) {
    const others = got.filter((_, j) => j !== i).map((other) => String(other.headers.etag));
    const tags = (list: string[]) => ({ "if-none-match": list.join(", ") });
    const path = paths[i] ?? "";
    const token = bearer(CREDENTIALS.feedToken);
    expect(
      (await feed(path, { ...token, ...tags([...others, String(headers.etag)]) })).headers.etag,
    ).toBeDefined();
    expect((await feed(path, tags(others))).status, path).toBe(200);
    expect((await feed(path, tags([...others, String(headers.etag)]))).status, path).toBe(304);
  }
});

test("a 304 does not count against the quota, and is sent even if the quota is used up; each hour has a new quota", async () => {
  const first = await feed(PATH);
  expect([remaining(first), remaining(await feed(PATH, tagged(first)))]).toEqual(["59", "59"]);
  for (const status of [403, 429] as const) {
    sandbox.events.quotaStatus = status;
    sandbox.events.exhaust();
    const rejected = await feed(PATH);
    expect([rejected.status, remaining(rejected)]).toEqual([status, "0"]);
    const reset = Number(rejected.headers["x-ratelimit-reset"]) * 1000;
    expect(reset).toBeGreaterThan(sandbox.clock.now());
    expect((await feed(PATH, tagged(first))).status).toBe(304);
    expect((await feed(PATH, bearer(CREDENTIALS.feedToken))).status).toBe(200);
    sandbox.clock.freeze(reset - 1);
    expect((await feed(PATH)).status).toBe(status);
    sandbox.clock.freeze(reset);
    expect(remaining(await feed(PATH))).toBe("59");
  }
});

test("using up the quota of one token does not affect other tokens", async () => {
  sandbox.events.exhaust(CREDENTIALS.feedToken);
  expect((await feed(PATH, bearer(CREDENTIALS.feedToken))).status).toBe(403);
  expect((await feed(PATH, bearer(CREDENTIALS.feedOtherToken))).status).toBe(200);
  expect((await feed(PATH)).status).toBe(200);
});

test.each([
  ["throttle", {}, 403, true],
  ["throttle", { status: 429 }, 429, true],
  ["throttle", { retryAfter: false }, 403, false],
  ["outage", {}, 503, false],
  ["outage", { retryAfter: true }, 503, true],
] as const)("during %s %j, all requests are rejected with %d", async (kind, more, status, said) => {
  const first = await feed(PATH);
  sandbox.events[kind]({ seconds: 90, ...more });
  for (const headers of [{}, tagged(first), bearer(CREDENTIALS.feedToken)]) {
    const got = await feed(PATH, headers);
    expect([got.status, got.json.status]).toEqual([status, String(status)]);
    expect(got.headers["retry-after"]).toBe(said ? "90" : undefined);
  }
  seconds(89);
  expect((await feed(PATH)).status).toBe(status);
  seconds(1);
  expect((await feed(PATH)).status).toBe(200);
});

test("a rejection can apply to one token only, and can be ended early", async () => {
  sandbox.events.outage({ seconds: 90, token: CREDENTIALS.feedToken });
  expect((await feed(PATH, bearer(CREDENTIALS.feedToken))).status).toBe(503);
  expect((await feed(PATH)).status).toBe(200);
  sandbox.events.recover();
  expect((await feed(PATH, bearer(CREDENTIALS.feedToken))).status).toBe(200);
});

test("every page and every 304 announces the current poll interval", async () => {
  const first = await feed(PATH);
  for (const interval of [120, 600, 60]) {
    sandbox.events.pollInterval = interval;
    for (const headers of [{}, tagged(first)]) {
      expect((await feed(PATH, headers)).headers["x-poll-interval"]).toBe(String(interval));
    }
  }
});

test("a full timeline contains 300 events from 30 days, and loses an event when another is added or when it expires", async () => {
  sandbox.events.clear();
  const all = sandbox.events.fill(WATCH).toReversed();
  const timeline = async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => feed(`${PATH}?per_page=100&page=${page}`)));
    return pages.flatMap(ids);
  };
  expect(await timeline()).toEqual(all);
  const more = sandbox.events.publish(WATCH);
  expect(await timeline()).toEqual([more, ...all.slice(0, 299)]);
  sandbox.clock.advance(30 * 24 * HOUR - 1000);
  expect(await timeline()).toEqual([more, ...all.slice(0, 1)]);
  seconds(1);
  expect(await timeline()).toEqual([]);
});

test("ids are not reused, even after their events were removed", async () => {
  const before = sandbox.events.publish({ ...WATCH, latency: 60 });
  sandbox.events.clear();
  expect((await feed("/events")).json).toEqual([]);
  const after = sandbox.events.publish(WATCH);
  expect(Number(after)).toBe(Number(before) + 1);
  seconds(60);
  expect(ids(await feed("/events"))).toEqual([after]);
});

test("a renamed repository returns 301, even if it was renamed twice or back, and a removed repository returns 404", async () => {
  const first = await feed(PATH);
  sandbox.events.rename("octavia/tools", "octo/gear");
  const moved = await feed(PATH, tagged(first));
  const location = `${sandbox.feedUrl}/repositories/204/events`;
  expect([moved.status, moved.headers.location]).toEqual([301, location]);
  expect((await ask(location)).text).toBe(first.text);
  sandbox.events.rename("octo/gear", "octavia/tools");
  expect((await feed("/repos/octo/gear/events")).status).toBe(301);
  expect((await feed(PATH)).status).toBe(200);
  sandbox.events.remove("octavia/tools");
  expect((await feed(PATH, tagged(first))).status).toBe(404);
  expect((await ask(location)).status).toBe(404);
  expect(() => sandbox.events.remove("octavia/tools")).toThrow("unknown repository: octavia/tools");
  expect(() => sandbox.events.rename("octo/hello", "hello")).toThrow(
    "invalid name, expected owner/name: hello",
  );
});

test("every token of a user shows private events until the token is revoked", async () => {
  const id = sandbox.events.publish({ ...WATCH, repo: "octavia/private-things" });
  const path = "/users/octavia/events";
  sandbox.events.grant("fresh-token", "octavia");
  const old = await feed(path, bearer(CREDENTIALS.feedToken));
  const fresh = await feed(path, bearer("fresh-token"));
  expect(ids(old)).toContain(id);
  expect([fresh.text, fresh.headers.etag]).toEqual([old.text, old.headers.etag]);
  expect(ids(await feed(path))).not.toContain(id);
  sandbox.events.revoke(CREDENTIALS.feedToken);
  expect((await feed(path, { ...bearer(CREDENTIALS.feedToken), ...tagged(old) })).status).toBe(401);
  expect((await feed(path, { ...bearer("fresh-token"), ...tagged(old) })).status).toBe(304);
});
