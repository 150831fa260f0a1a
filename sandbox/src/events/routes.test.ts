import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { CREDENTIALS } from "../seed/credentials.ts";
import { ask, type Got } from "../testing/client.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.clearRates());
afterAll(() => sandbox.close());

const octavia = { authorization: `Bearer ${CREDENTIALS.feedToken}` };
const feed = (path: string, headers: Record<string, string> = {}): Promise<Got> =>
  ask(sandbox.feedUrl + path, { headers });
const links = (got: Got) =>
  Object.fromEntries(
    [...String(got.headers.link ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)].map((m) => [m[2], m[1]]),
  ) as Record<string, string>;

test("a page contains thirty events, newest first, in the documented format", async () => {
  const got = await feed("/events");
  expect(got.status).toBe(200);
  expect(got.json).toHaveLength(30);
  const times = got.json.map((event: { created_at: string }) => event.created_at);
  expect(times).toEqual(times.toSorted().reverse());
  for (const event of got.json) {
    expect(event.id).toMatch(/^\d{10,}$/);
    expect(event.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(event.public).toBe(true);
    expect(Object.keys(event.actor).sort()).toEqual([
      "avatar_url",
      "display_login",
      "external_avatar_id",
      "id",
      "login",
      "url",
    ]);
    expect(Object.keys(event.repo).sort()).toEqual(["id", "name", "url"]);
  }
});

test("every response has the headers that pollers need", async () => {
  const { headers } = await feed("/events");
  expect(headers.etag).toMatch(/^(W\/)?"[^"]+"$/);
  expect(headers["x-poll-interval"]).toBe("60");
  expect(headers["cache-control"]).toBe("public, max-age=60, s-maxage=60");
  expect(headers["x-ratelimit-limit"]).toBe("60");
  expect(headers["x-ratelimit-remaining"]).toBe("59");
  expect(headers["x-ratelimit-used"]).toBe("1");
  expect(headers["x-ratelimit-resource"]).toBe("core");
  expect(Number(headers["x-ratelimit-reset"])).toBeGreaterThan(Date.now() / 1000);
  expect((await feed("/events", octavia)).headers["x-ratelimit-limit"]).toBe("5000");
});

test("a conditional request gets 304 without a body, and without using the quota, until a new event appears", async () => {
  const path = "/users/octavia/events";
  const first = await feed(path);
  const tag = String(first.headers.etag);
  expect(tag.startsWith("W/")).toBe(false);
  for (const value of [tag, `W/${tag}`, `"x", ${tag}`]) {
    const again = await feed(path, { "if-none-match": value });
    expect(again.status).toBe(304);
    expect(again.text).toBe("");
    expect(again.headers.etag).toBe(tag);
    expect(again.headers["x-poll-interval"]).toBe("60");
    expect(again.headers["x-ratelimit-remaining"]).toBe("59");
  }
  expect((await feed(`${path}?page=2`, { "if-none-match": tag })).status).toBe(200);
  const id = sandbox.events.publish({
    type: "WatchEvent",
    actor: "octavia",
    repo: "octo/hello",
    payload: { action: "started" },
  });
  sandbox.events.pollInterval = 7;
  const news = await feed(path, { "if-none-match": tag });
  expect(news.status).toBe(200);
  expect(news.json[0].id).toBe(id);
  expect(news.headers["x-poll-interval"]).toBe("7");
  sandbox.events.pollInterval = 60;
});

test("the Link header uses paths with ids that work, repeats the query, and ends at the depth limit", async () => {
  const got = await feed("/users/octavia/events?per_page=100&x=%5B1%5D");
  expect(Object.keys(links(got)).sort()).toEqual(["last", "next"]);
  expect(links(got).next).toBe(`${sandbox.feedUrl}/user/101/events?per_page=100&x=%5B1%5D&page=2`);
  const next = await ask(links(got).next ?? "");
  expect(next.status).toBe(200);
  expect(Object.keys(links(next)).sort()).toEqual(["first", "last", "next", "prev"]);
  const last = await ask(links(got).last ?? "");
  expect(Object.keys(links(last)).sort()).toEqual(["first", "prev"]);
  expect(links(await feed("/events?per_page=500")).next).toContain("per_page=500&page=2");
  expect(links(await feed("/networks/octo/hello/events")).next).toContain(
    "/feed/networks/octo/hello/events?page=2",
  );
  expect(links(await feed("/repos/octo/hello/events")).next).toContain(
    "/feed/repositories/201/events?page=2",
  );
  expect(links(await feed("/orgs/octo/events")).next).toContain("/feed/organizations/301/events?page=2");
});

test("a timeline has at most 300 events, in ten pages of 30 or three of 100, and further pages return 422", async () => {
  expect((await feed("/events?page=10")).status).toBe(200);
  const beyond = await feed("/events?page=11");
  expect(beyond.status).toBe(422);
  expect(beyond.json).toMatchObject({
    status: "422",
    message: expect.any(String),
    documentation_url: expect.any(String),
  });
  expect((await feed("/events?page=3&per_page=100")).json).toHaveLength(100);
  expect((await feed("/events?page=4&per_page=100")).status).toBe(422);
  const past = await feed("/orgs/empty-org/events?page=2");
  expect(past.status).toBe(200);
  expect(past.json).toEqual([]);
  expect(past.headers.etag).toBeDefined();
  expect(past.headers.link).toBeUndefined();
});

test("a page can be short even if more pages follow", async () => {
  const pages = await Promise.all(
    [1, 2, 3].map((page) => feed(`/events?per_page=100&page=${page}`, octavia)),
  );
  expect(pages.map((page) => page.json.length).toSorted()).toEqual([100, 100, 98]);
});

test("only the user's own token shows private events", async () => {
  const hidden = (got: Got) => got.json.filter((event: { public: boolean }) => !event.public).length;
  const path = "/users/octavia/events?per_page=100";
  expect(hidden(await feed(path))).toBe(0);
  expect(hidden(await feed(path, octavia))).toBeGreaterThan(0);
  expect(hidden(await feed(path, { authorization: `token ${CREDENTIALS.feedToken}` }))).toBeGreaterThan(0);
  expect(hidden(await feed(path, { authorization: `Bearer ${CREDENTIALS.feedOtherToken}` }))).toBe(0);
  expect(hidden(await feed(path, { authorization: `Bearer ${CREDENTIALS.feedInstallationToken}` }))).toBe(0);
  expect(hidden(await feed("/users/octavia/events/public?per_page=100", octavia))).toBe(0);
  const marvin = { authorization: `Bearer ${CREDENTIALS.feedOtherToken}` };
  expect(hidden(await feed("/users/marvin/received_events?per_page=100", marvin))).toBeGreaterThan(0);
  expect(hidden(await feed("/users/marvin/received_events/public?per_page=100", marvin))).toBe(0);
});

test("only the user sees the organization dashboard", async () => {
  const path = "/users/octavia/events/orgs/octo";
  expect((await feed(path, octavia)).status).toBe(200);
  expect((await feed(path)).status).toBe(404);
  expect((await feed(path, { authorization: `Bearer ${CREDENTIALS.feedOtherToken}` })).status).toBe(404);
});

test("private and missing repositories return 404, renamed repositories return 301, and an invalid token returns 401", async () => {
  expect((await feed("/repos/octavia/private-things/events")).json).toMatchObject({
    message: "Not Found",
    status: "404",
  });
  expect((await feed("/repos/octavia/private-things/events", octavia)).status).toBe(200);
  expect((await feed("/repos/octo/nothing/events")).status).toBe(404);
  expect((await feed("/repos/OCTO/Hello/events")).status).toBe(200);
  const moved = await feed("/repos/octo/old-hello/events");
  expect(moved.status).toBe(301);
  expect(moved.headers.location).toBe(`${sandbox.feedUrl}/repositories/201/events`);
  expect(moved.json).toMatchObject({ message: "Moved Permanently", url: moved.headers.location });
  const network = await feed("/networks/octo/old-hello/events");
  expect((await ask(String(network.headers.location))).status).toBe(200);
  expect((await feed("/events", { authorization: "Bearer nope" })).json).toMatchObject({
    message: "Bad credentials",
    status: "401",
  });
  expect((await feed("/nowhere")).json).toMatchObject({ message: "Not Found" });
});

test("an unknown API version returns 400", async () => {
  expect((await feed("/events", { "x-service-api-version": "2022-11-28" })).status).toBe(200);
  expect((await feed("/events", { "x-service-api-version": "1999-01-01" })).status).toBe(400);
});

test("after the hourly limit is used up, requests get 403, and the headers show that none remain", async () => {
  sandbox.limits.feedCallsAnonymous = 1;
  await feed("/events");
  const got = await feed("/events");
  expect(got.status).toBe(403);
  expect(got.headers["x-ratelimit-remaining"]).toBe("0");
  expect(got.json.message).toBe("API rate limit exceeded");
  sandbox.limits.feedCallsAnonymous = 60;
});

test("the timeline drops events older than thirty days", async () => {
  sandbox.clock.advance(31 * 86_400_000);
  expect((await feed("/events")).json).toHaveLength(0);
  sandbox.clock.reset();
});

test("pushes occur in both formats, and there are events of every type", async () => {
  const all = [];
  for (const page of [1, 2, 3]) {
    all.push(...(await feed(`/repositories/201/events?per_page=100&page=${page}`)).json);
  }
  const types = new Set(all.map((event) => event.type));
  expect(types.size).toBeGreaterThanOrEqual(16);
  const pushes = all.filter((event) => event.type === "PushEvent").map((event) => event.payload);
  expect(pushes.some((push) => "commits" in push && "size" in push)).toBe(true);
  expect(pushes.some((push) => "repository_id" in push && !("commits" in push))).toBe(true);
});
