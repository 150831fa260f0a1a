import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { failureOf } from "../end-to-end/failure.ts";
import { startWorld, type Way, type World } from "../end-to-end/world.ts";
import { FEEDS } from "./feeds.ts";

const WAYS: readonly Way[] = [
  "Connect JSON, h2c",
  "gRPC proto, h2c",
  "gRPC-Web proto, HTTP/1.1",
  "in-process",
];

let world: World;
let token: string | undefined;
beforeAll(async () => {
  world = await startWorld({
    upstreams: ({ blog, events }) => ({
      blog,
      events: {
        ...events,
        credentials: () => (token === undefined ? {} : { oauth2: { accessToken: token } }),
      },
    }),
  });
});
beforeEach(() => {
  world.sandbox.reset();
  world.sandbox.limits.feedCallsWithToken = 5000;
  token = undefined;
});
afterAll(() => world.close());

const client = (way: Way) => world.client(EventService, way);

describe.each(FEEDS)("$path", ({ asked, linked, list, nothing, reason, holdsPrivate }) => {
  const owner = () =>
    asked.includes("marvin") ? world.sandbox.credentials.feedOtherToken : world.sandbox.credentials.feedToken;

  describe.each(WAYS)("by %s", (way) => {
    beforeEach(() => {
      token = owner();
    });

    test("lists events, newest first, and reads values from the headers", async () => {
      const answer = await list(client(way), { perPage: 5, page: 2 });
      expect(world.sandbox.received.last?.path).toBe(`/feed${asked}`);
      expect(answer.events.length).toBeGreaterThan(3);
      const times = answer.events.map(({ createdAt }) => Number(createdAt?.seconds));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      const page = (number: number | string) => `${world.sandbox.feedUrl}${linked}?per_page=5&page=${number}`;
      expect(answer).toMatchObject({
        notModified: false,
        pollIntervalSeconds: 60,
        etag: expect.stringMatching(/^(W\/)?"[0-9a-f]{64}"$/),
        lastModified: expect.stringMatching(/^\w{3}, \d\d \w{3} 20\d\d .* GMT$/),
        nextPageUrl: page(3),
        lastPageUrl: expect.stringContaining(`${linked}?per_page=5&page=`),
        previousPageUrl: page(1),
        firstPageUrl: page(1),
        rateLimit: 5000,
        rateLimitRemaining: 4999,
        rateLimitUsed: 1,
        rateLimitResource: "core",
      });
      expect(Number(answer.rateLimitReset?.seconds)).toBeGreaterThan(1_700_000_000);
    });

    test("returns 304 for its ETag without using quota, and later returns a new event", async () => {
      const first = await list(client(way));
      expect(first).toMatchObject({ previousPageUrl: "", firstPageUrl: "" });
      const again = await list(client(way), { ifNoneMatch: first.etag });
      expect(world.sandbox.received.last?.headers["if-none-match"]).toBe(first.etag);
      expect(again).toMatchObject({
        notModified: true,
        events: [],
        etag: first.etag,
        pollIntervalSeconds: 60,
        rateLimitRemaining: 4999,
      });
      const payload = { action: "started" };
      const id = world.sandbox.events.publish({
        type: "WatchEvent",
        actor: "octavia",
        repo: "octo/hello",
        payload,
      });
      const news = await list(client(way), { ifNoneMatch: first.etag });
      expect(news).toMatchObject({
        notModified: false,
        rateLimitRemaining: 4998,
        events: [{ id, typeName: "WatchEvent" }, ...first.events.slice(0, -1).map(({ id }) => ({ id }))],
      });
    });

    test("fails with the errors that the reference documents", async () => {
      const { sandbox } = world;
      expect(await failureOf(list(client(way), { perPage: 100, page: 4 }))).toMatchObject({
        code: "OutOfRange",
        reason: "PAGE_OUT_OF_RANGE",
      });
      if (nothing !== undefined) {
        expect(await failureOf(nothing(client(way)))).toMatchObject({ code: "NotFound", reason });
      }
      sandbox.next({ status: 503, body: { code: "503", message: "Later" } });
      expect(await failureOf(list(client(way)))).toMatchObject({
        code: "Unavailable",
        text: expect.stringContaining("Later"),
      });
      sandbox.next({ status: 403, body: { message: "Not you" } });
      expect(await failureOf(list(client(way)))).toMatchObject({
        code: "PermissionDenied",
        text: expect.stringContaining("Not you"),
      });
      sandbox.next({ status: 429, headers: { "retry-after": "7" }, body: { message: "Slowly" } });
      expect(await failureOf(list(client(way)))).toMatchObject({
        code: "ResourceExhausted",
        reason: "SECONDARY_RATE_LIMITED",
        retrySeconds: 7,
      });
      sandbox.limits.feedCallsWithToken = 0;
      const failure = await failureOf(list(client(way)));
      expect(failure).toMatchObject({ code: "ResourceExhausted", reason: "RATE_LIMITED" });
      expect(failure.retrySeconds).toBeGreaterThan(0);
      token = "unknown";
      expect(await failureOf(list(client(way)))).toMatchObject({ code: "Unauthenticated" });
    });

    test("rejects invalid pages without a request", async () => {
      if (way === "in-process") return;
      for (const page of [{ perPage: 0 }, { perPage: 101 }, { page: 0 }]) {
        expect(await failureOf(list(client(way), page))).toMatchObject({
          code: "InvalidArgument",
          reason: "REQUEST_INVALID",
        });
      }
      expect(world.sandbox.received.total).toBe(0);
    });
  });

  test(holdsPrivate ? "has what is private for its user alone" : "has only what is public", async () => {
    const isPublic = async () => {
      const { events } = await list(client("in-process"), { perPage: 100 });
      return events.every((event) => event.public);
    };
    token = owner();
    expect(await isPublic()).toBe(!holdsPrivate);
    token = world.sandbox.credentials.feedInstallationToken;
    if (asked.includes("/events/orgs/")) {
      expect(await failureOf(isPublic())).toMatchObject({ code: "NotFound", reason });
      token = undefined;
      expect(await failureOf(isPublic())).toMatchObject({ code: "Unauthenticated" });
      return;
    }
    expect(await isPublic()).toBe(true);
    token = undefined;
    expect(await isPublic()).toBe(true);
  });
});

test.each(WAYS)("the response for a renamed repository has its new address, by %s", async (way) => {
  const old = { owner: "octo", repo: "old-hello" };
  const { feedUrl } = world.sandbox;
  expect(await failureOf(client(way).listRepositoryEvents(old))).toMatchObject({
    code: "FailedPrecondition",
    metadata: { http_status: "301", location: `${feedUrl}/repositories/201/events` },
  });
  expect(await failureOf(client(way).listNetworkEvents(old))).toMatchObject({
    code: "FailedPrecondition",
    metadata: { location: `${feedUrl}/repositories/201/network/events` },
  });
});
