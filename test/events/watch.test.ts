import { setImmediate } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { failureOf } from "../end-to-end/failure.ts";
import { startWorld, type Way, type World } from "../end-to-end/world.ts";
import { type Batch, type Start, WATCHED_FEEDS } from "./watches.ts";

const WAYS: readonly Way[] = [
  "Connect JSON, h2c",
  "gRPC proto, h2c",
  "gRPC-Web proto, HTTP/1.1",
  "in-process",
];
const EVERYTHING: Start = { start: { case: "backlog", value: true } };
const DAMAGED = "one that is damaged or not of this service";

let world: World;
let token: string;
beforeAll(async () => {
  world = await startWorld({
    upstreams: ({ blog, events }) => ({
      blog,
      events: { ...events, credentials: () => ({ oauth2: { accessToken: token } }) },
    }),
  });
});
beforeEach(() => {
  token = world.sandbox.credentials.feedToken;
});
afterAll(() => world.close());

const client = (way: Way) => world.client(EventService, way);

/** Returns the first message of a stream and ends the stream. */
async function firstOf(stream: AsyncIterable<Batch>): Promise<Batch> {
  for await (const batch of stream) return batch;
  throw new Error("the stream has no message");
}

describe.each(WATCHED_FEEDS)("$path", ({ asked, watch, nothing, reason }) => {
  const owner = () =>
    asked.includes("marvin") ? world.sandbox.credentials.feedOtherToken : world.sandbox.credentials.feedToken;

  test.each(WAYS)("streams the listed events, oldest first, and then new events, by %s", async (way) => {
    token = owner();
    const leave = new AbortController();
    const options = { signal: leave.signal };
    const all = await firstOf(watch(client(way), EVERYTHING, options));
    leave.abort();
    expect(all.events.length).toBeGreaterThan(3);
    const times = all.events.map(({ createdAt }) => Number(createdAt?.seconds));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(all).toMatchObject({
      late: false,
      gap: false,
      resumeToken: expect.stringMatching(/^[\w-]{40,}$/),
    });
    const [first, second] = all.events;
    const after = await firstOf(
      watch(client(way), { start: { case: "afterEventId", value: first?.id ?? "" } }),
    );
    expect(after.events[0]?.id).toBe(second?.id);
    const rest = await firstOf(
      watch(client(way), { start: { case: "resumeToken", value: all.resumeToken } }),
    );
    const known = new Set(all.events.map(({ id }) => id));
    expect(rest.events.filter(({ id }) => known.has(id))).toEqual([]);
    expect(rest.gap).toBe(false);
  });

  test.each(WAYS)("a missing feed and a wrong token are errors, by %s", async (way) => {
    token = owner();
    if (nothing !== undefined) {
      expect(await failureOf(firstOf(nothing(client(way))))).toMatchObject({ code: "NotFound", reason });
    }
    token = "unknown";
    expect(await failureOf(firstOf(watch(client(way))))).toMatchObject({ code: "Unauthenticated" });
  });
});

test.each(WAYS)("a stream of a renamed repository ends with the new address, by %s", async (way) => {
  const old = { owner: "octo", repo: "old-hello" };
  const { feedUrl } = world.sandbox;
  expect(await failureOf(firstOf(client(way).watchRepositoryEvents(old)))).toMatchObject({
    code: "FailedPrecondition",
    metadata: { http_status: "301", location: `${feedUrl}/repositories/201/events` },
  });
});

test.each(WAYS)(
  "a resume token of another feed, a damaged token and a forged token are rejected, by %s",
  async (way) => {
    const other = { owner: "marvin", repo: "hello" };
    const { resumeToken } = await firstOf(client(way).watchRepositoryEvents(other));
    const forged = `${resumeToken.slice(0, 20)}${resumeToken[20] === "A" ? "B" : "A"}${resumeToken.slice(21)}`;
    for (const [value, problem] of [
      [resumeToken, "one of another feed"],
      [forged, DAMAGED],
      [resumeToken.slice(1), DAMAGED],
      ["AAAA", DAMAGED],
    ] as const) {
      const start = { case: "resumeToken", value } as const;
      const failure = await failureOf(
        firstOf(client(way).watchRepositoryEvents({ owner: "octo", repo: "hello", start })),
      );
      expect(failure).toMatchObject({
        code: "InvalidArgument",
        reason: "RESUME_TOKEN_INVALID",
        text: `events.v1.EventService.WatchRepositoryEvents: resume_token: expected a resume token of this feed, exactly as received, got ${problem}; start without a token`,
      });
    }
  },
);

describe.each(WAYS.filter((way) => way !== "in-process"))("by %s", (way) => {
  test.each([
    ["an empty owner", { owner: "", repo: "hello" }, "owner"],
    ["an owner with a slash", { owner: "octo/other", repo: "hello" }, "owner"],
    ["a repository with .git", { owner: "octo", repo: "hello.git" }, "repo"],
    ["a repository that is a path", { owner: "octo", repo: "../../users" }, "repo"],
    [
      "heartbeats without end",
      { owner: "octo", repo: "hello", heartbeatInterval: { seconds: 0n, nanos: 1 } },
      "heartbeat_interval",
    ],
  ])("%s is rejected before any request", async (_what, request, field) => {
    const before = world.sandbox.received.total;
    const failure = await failureOf(firstOf(client(way).watchRepositoryEvents(request)));
    expect(failure).toMatchObject({ code: "InvalidArgument", reason: "REQUEST_INVALID" });
    expect(failure.text).toContain(field);
    expect(world.sandbox.received.total).toBe(before);
  });
});

test("in-process, an owner that is invalid in a path is rejected", async () => {
  for (const owner of ["", "..", "a\nb"]) {
    const error = await firstOf(client("in-process").watchRepositoryEvents({ owner, repo: "hello" })).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConnectError);
    expect((error as ConnectError).code).toBe(Code.InvalidArgument);
  }
});

test.each(["Connect proto, h2c", "gRPC proto, h2c", "gRPC-Web proto, HTTP/1.1"] as const)(
  "a gateway that shuts down sends a last message with a resume token on each stream, by %s",
  async (way) => {
    const ending = await startWorld();
    try {
      const tokens: string[] = [];
      const reading = (async () => {
        const stream = ending.client(EventService, way).watchPublicEvents({});
        for await (const { resumeToken } of stream) tokens.push(resumeToken);
      })();
      const failed = failureOf(reading);
      while (tokens.length === 0) await setImmediate();
      await ending.gateway.close({ skipNotice: true });
      expect(await failed).toMatchObject({ code: "Unavailable", reason: "WATCH_DRAINED" });
      expect(tokens).toHaveLength(2);
      const again = await firstOf(ending.client(EventService, "in-process").watchPublicEvents({}));
      expect(again.resumeToken).not.toBe("");
    } finally {
      await ending.close();
    }
  },
);

test("names that differ only in case share a poller, but different users do not", async () => {
  const { sandbox } = world;
  await sandbox.reset();
  const before = sandbox.received.total;
  const leave = new AbortController();
  const options = { signal: leave.signal };
  for (const owner of ["octavia", "Octavia", "OCTAVIA"]) {
    await firstOf(client("gRPC proto, h2c").watchRepositoryEvents({ owner, repo: "Tools" }, options));
  }
  expect(sandbox.received.total - before).toBe(1);
  token = sandbox.credentials.feedOtherToken;
  await firstOf(
    client("gRPC proto, h2c").watchRepositoryEvents({ owner: "octavia", repo: "tools" }, options),
  );
  expect(sandbox.received.total - before).toBe(2);
  leave.abort();
});
