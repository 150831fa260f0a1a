import { AsyncLocalStorage } from "node:async_hooks";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";
import { closeWatching, settled, startWatching } from "../testing/watching.ts";

afterEach(closeWatching);

const NEXT = 61_000;

test("after a session changes to another user, no poll for watchers of the previous user uses the session", async () => {
  const users = fc.constantFrom("ada", "bob", "cy");
  const changes = fc.array(fc.record({ session: fc.nat(2), user: users }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.tuple(users, users, users), changes, fc.boolean(), async (first, each, isNamed) => {
      const sessions: string[] = [...first];
      const { timeline, clock, watching } = startWatching({
        rules: { credentials: ["oauth2"] },
        upstream: {
          credentials: ({ header }) => {
            const user = sessions[Number(header.get("x-session"))] ?? "";
            return { oauth2: { accessToken: user }, ...(isNamed && { owner: user }) };
          },
        },
      });
      const watchers = sessions.map((_, session) => watching({}, { "x-session": String(session) }));
      await settled();
      expect(timeline.requests).toHaveLength(new Set(first).size);
      for (const { session, user } of each) {
        sessions[session] = user;
        const asked = timeline.requests.length;
        clock.advance(NEXT);
        await settled();
        const tokens = timeline.requests.slice(asked).map(({ authorization }) => authorization);
        // each poll uses the identity of the watchers that it serves, and there is at most one poll per feed
        expect(new Set(tokens).size).toBe(tokens.length);
        for (const watcher of watchers.filter(({ isOver }) => isOver)) {
          const error = ConnectError.from(watcher.error);
          expect([error.code, reasonOf(error)]).toEqual([Code.Aborted, "FEED_IDENTITY_CHANGED"]);
          expect(error.findDetails(ResumeSchema)[0]?.token).toBe(watcher.token);
        }
      }
      const alive = watchers.flatMap((watcher, index) => (watcher.isOver ? [] : [first[index] ?? ""]));
      const asked = timeline.requests.length;
      clock.advance(NEXT);
      await settled();
      const tokens = timeline.requests.slice(asked).map(({ authorization }) => authorization);
      for (const token of tokens) expect(alive.map((user) => `Bearer ${user}`)).toContain(token);
      await closeWatching();
    }),
    { numRuns: 40 },
  );
});

test("if credentials depend on the caller, polls run in the context of a current watcher", async () => {
  const caller = new AsyncLocalStorage<string>();
  const { timeline, clock, watching } = startWatching({
    rules: { credentials: ["oauth2"] },
    upstream: {
      credentials: () => {
        const user = caller.getStore();
        if (user === undefined) throw new ConnectError("whose call is it?", Code.PermissionDenied);
        // the token is refreshed with every request
        return { oauth2: { accessToken: `${user} ${timeline.requests.length}` }, owner: user };
      },
    },
    watch: {
      asCaller: () => {
        const user = caller.getStore() ?? "";
        return (work) => caller.run(user, work);
      },
    },
  });
  const watchers = ["ada", "bob", "ada"].map((user) => caller.run(user, () => watching({})));
  for (let poll = 0; poll < 3; poll++) {
    await settled();
    clock.advance(NEXT);
  }
  await settled();
  const users = timeline.requests.map(({ authorization }) => authorization?.split(" ")[1]);
  expect(new Set(users)).toEqual(new Set(["ada", "bob"]));
  // both watchers of ada share one poll
  expect(users.filter((user) => user === "ada")).toHaveLength(4);
  expect(watchers.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
});

test("credentials are requested once per new watcher and once per poll, and all pages of a poll use the same credentials", async () => {
  let count = 0;
  const { timeline, clock, watching } = startWatching({
    rules: { credentials: ["oauth2"] },
    upstream: {
      credentials: () => ({ oauth2: { accessToken: `token ${++count}` }, owner: "ada" }),
    },
  });
  timeline.ids = [1, 2, 3, 4, 5, 6];
  const watcher = watching({});
  await settled();
  for (let poll = 0; poll < 3; poll++) {
    clock.advance(NEXT);
    await settled();
  }
  const tokens = timeline.requests.map(({ authorization }) => authorization);
  expect(tokens).toEqual([2, 3, 4, 5].flatMap((each) => Array(3).fill(`Bearer token ${each}`)));
  expect([count, watcher.error]).toEqual([5, undefined]);
});

test.each([
  ["names no owner", undefined, "changed, and have no `owner`"],
  ["names another owner", "bob", "belong to a different identity than the watchers"],
])("if the credentials function %s, the error states the remedy", async (_how, owner, text) => {
  let token = "one";
  const { clock, watching } = startWatching({
    rules: { credentials: ["oauth2"] },
    upstream: {
      credentials: () => ({
        oauth2: { accessToken: token },
        owner: token === "one" && owner !== undefined ? "ada" : owner,
      }),
    },
  });
  const watcher = watching({});
  await settled();
  token = "two";
  clock.advance(NEXT);
  await watcher.over;
  const error = ConnectError.from(watcher.error);
  expect(reasonOf(error)).toBe("FEED_IDENTITY_CHANGED");
  expect(error.rawMessage).toContain(`the credentials for polling the feed ${text}`);
});

test("polls run in the context of the newest remaining watcher", async () => {
  const { timeline, clock, watching } = startWatching({
    rules: { credentials: ["oauth2"] },
    upstream: {
      credentials: ({ header }) => ({ oauth2: { accessToken: header.get("x-token") ?? "" }, owner: "ada" }),
    },
  });
  const watchers = ["one", "two", "three"].map((token) => watching({}, { "x-token": token }));
  const expected = ["three", "two", "one", "one"];
  for (const watcher of [watchers[2], watchers[1], watchers[0], undefined]) {
    clock.advance(NEXT);
    await settled();
    expect(timeline.requests.at(-1)?.authorization).toBe(`Bearer ${expected.shift()}`);
    await watcher?.leave();
    await settled();
  }
});
