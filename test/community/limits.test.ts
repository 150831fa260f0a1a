import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CommunityService } from "../../gen/community/v1/community_pb.ts";
import { CommunityServiceRest } from "../../gen/community/v1/community_rest.ts";
import { retryDelayOf } from "../../runtime/src/errors/retry-info.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { start } from "../rules/world.ts";

/** The start of a day by the service's clock. */
const MORNING = Date.UTC(2026, 0, 2);
const gardeners = { communityHandle: "gardeners" };

/** Returns a client that calls as the user that `user` returns. */
function communitiesOf(clock: FakeClock, user: () => string) {
  return start(
    CommunityService,
    CommunityServiceRest,
    {},
    {
      clock,
      timeoutMs: 500,
      upstream: { credentials: () => ({ oauth2: { accessToken: user() } }) },
    },
  );
}

test("an administrator invites at most once a second, across all communities", async () => {
  const clock = new FakeClock(MORNING);
  const { client, seen } = await communitiesOf(clock, () => "ada");
  await client.createInvitation({ ...gardeners, recipientBlog: "reader-01" });
  const other = { communityHandle: "growers", recipientBlog: "reader-01" };
  const error = await failureOf(client.createInvitation(other));
  expect([error.code, retryDelayOf(error)]).toEqual([Code.ResourceExhausted, 1000]);
  clock.advance(1001);
  await client.createInvitation(other);
  expect(seen).toHaveLength(2);
});

test("an administrator invites at most 250 times a day, by the service's clock", async () => {
  const clock = new FakeClock(MORNING);
  const { client, seen } = await communitiesOf(clock, () => "ada");
  for (let count = 0; count < 250; count++) {
    await client.createInvitation({ ...gardeners, recipientBlog: "reader-01" });
    clock.advance(1001);
  }
  const error = await failureOf(client.createInvitation({ ...gardeners, recipientBlog: "reader-01" }));
  expect(error.code).toBe(Code.ResourceExhausted);
  expect(seen).toHaveLength(250);
  clock.advance(24 * 3_600_000);
  await client.createInvitation({ ...gardeners, recipientBlog: "reader-01" });
  expect(seen).toHaveLength(251);
});

test("each administrator has a separate count", async () => {
  const users = ["ada", "grace"];
  const { client, seen } = await communitiesOf(new FakeClock(MORNING), () => users.shift() ?? "");
  await client.createInvitation({ ...gardeners, recipientBlog: "reader-01" });
  await client.createInvitation({ ...gardeners, recipientBlog: "reader-02" });
  expect(seen).toHaveLength(2);
});

/** The limits of joins by invite link, per hour and per day. */
const IN_AN_HOUR = 25;
const IN_A_DAY = 100;
const HOUR_MS = 3_600_000;
const byLink = { ...gardeners, inviteHash: "h4sh" };

test("a user can join 25 communities an hour and 100 a day by invite links", async () => {
  const clock = new FakeClock(MORNING);
  const { client, seen } = await communitiesOf(clock, () => "ada");
  for (let joined = 0; joined < IN_A_DAY; joined += IN_AN_HOUR) {
    for (let count = 0; count < IN_AN_HOUR; count++) await client.joinCommunity(byLink);
    expect((await failureOf(client.joinCommunity(byLink))).code).toBe(Code.ResourceExhausted);
    clock.advance(HOUR_MS + 1);
  }
  expect((await failureOf(client.joinCommunity(byLink))).code).toBe(Code.ResourceExhausted);
  expect(seen).toHaveLength(IN_A_DAY);
  clock.advance(24 * HOUR_MS);
  await client.joinCommunity(byLink);
});

test("joins without an invite link, and other methods, have no limit at the gateway", async () => {
  const limited = Object.entries(CommunityServiceRest.methods).flatMap(([name, { rules }]) =>
    (rules.rateLimits ?? []).map(() => name),
  );
  expect(limited).toEqual(["createInvitation", "createInvitation", "joinCommunity", "joinCommunity"]);
  const { client, seen } = await communitiesOf(new FakeClock(MORNING), () => "ada");
  for (let count = 0; count <= IN_AN_HOUR; count++) await client.joinCommunity(gardeners);
  expect(seen).toHaveLength(IN_AN_HOUR + 1);
});
