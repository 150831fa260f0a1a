import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { http } from "connect-rest-runtime/gen/google/api/annotations_pb.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PostState } from "../../gen/blog/v1/post_resource_pb.ts";
import { MemberRole } from "../../gen/community/v1/member_pb.ts";
import { RemovalReason } from "../../gen/community/v1/removal_reason_pb.ts";
import { OAuthServiceRest } from "../../gen/oauth/v1/oauth_rest.ts";
import { failureOf } from "../end-to-end/failure.ts";
import { ADAPTERS, type Api, type BlogWorld, startBlogWorld, WAYS } from "./world.ts";

const demo = { blogIdentifier: "demo" };
const gardeners = { communityHandle: "gardeners" };
const GARDENERS_POST = 735_900_001_000_000_004n;
const post = { ...gardeners, postId: GARDENERS_POST };
const REMOVED_POST = GARDENERS_POST + 3027n;

interface Row {
  readonly method: string;
  readonly call: (api: Api, world: BlogWorld) => Promise<unknown>;
  readonly prepare?: (api: Api) => Promise<unknown>;
  /** The result of a second call, sent after the first call was executed. */
  readonly again: string;
}

/** Requests that may fail or have another effect when they are sent twice. */
const SENT_ONCE: readonly Row[] = [
  {
    method: "updateCommunity",
    call: ({ communities }) => communities.updateCommunity({ ...gardeners, handle: "tree-lovers" }),
    again: "NotFound COMMUNITY_NOT_FOUND",
  },
  {
    method: "createInvitation",
    call: ({ communities }) => communities.createInvitation({ ...gardeners, recipientBlog: "reader-03" }),
    again: "AlreadyExists ALREADY_INVITED",
  },
  {
    method: "deleteInvitation",
    call: ({ communities }) => communities.deleteInvitation({ ...gardeners, blogIdentifier: "reader-01" }),
    again: "NotFound NOT_FOUND",
  },
  {
    method: "joinCommunity",
    call: ({ communities }) => communities.joinCommunity({ communityHandle: "night-sky" }),
    again: "ok",
  },
  {
    method: "removeMember",
    call: ({ communities }) =>
      communities.removeMember({ ...gardeners, blogIdentifier: "grace", reason: RemovalReason.SPAM }),
    again: "NotFound NOT_FOUND",
  },
  {
    method: "updateMemberRole",
    prepare: ({ communities }) =>
      communities.updateMemberRole({ ...gardeners, blogIdentifier: "ada", role: MemberRole.ADMIN }),
    call: ({ communities }) =>
      communities.updateMemberRole({ ...gardeners, blogIdentifier: "demo", role: MemberRole.MEMBER }),
    again: "PermissionDenied NOT_ADMINISTRATOR",
  },
  {
    method: "addReaction",
    call: ({ communities }) =>
      communities.addReaction({ ...post, emoji: { case: "slug", value: ":rocket:" } }),
    again: "ok",
  },
  {
    method: "removePost",
    call: ({ communities }) => communities.removePost({ ...post, reason: RemovalReason.SPAM }),
    again: "FailedPrecondition POST_ALREADY_REMOVED",
  },
  {
    method: "restorePost",
    call: ({ communities }) => communities.restorePost({ ...gardeners, postId: REMOVED_POST, note: "n" }),
    again: "FailedPrecondition POST_ALREADY_RESTORED",
  },
  {
    method: "deleteBlock",
    call: ({ blogs }) => blogs.deleteBlock({ ...demo, target: { case: "blockedBlog", value: "grace" } }),
    again: "NotFound NOTHING_TO_UNBLOCK",
  },
  {
    method: "updatePost",
    call: ({ posts }, { ids }) =>
      posts.updatePost({ ...demo, postId: ids.queue[0] ?? 0n, state: PostState.PUBLISHED }),
    again: "NotFound BLOG_OR_POST_NOT_FOUND",
  },
];

/** Requests that are idempotent. */
const SENT_AGAIN: ReadonlyArray<Pick<Row, "method" | "call">> = [
  { method: "muteCommunity", call: ({ communities }) => communities.muteCommunity(gardeners) },
  { method: "unmuteCommunity", call: ({ communities }) => communities.unmuteCommunity(gardeners) },
  {
    method: "removeReaction",
    call: ({ communities }) => communities.removeReaction({ ...post, reactionId: "❤️" }),
  },
  { method: "removeFilteredTag", call: ({ filters }) => filters.removeFilteredTag({ tag: "spoilers" }) },
  {
    method: "removeFilteredContent",
    call: ({ filters }) => filters.removeFilteredContent({ filteredContent: "cliffhanger" }),
  },
  {
    method: "unmutePost",
    call: ({ posts }, { ids }) => posts.unmutePost({ ...demo, postId: ids.blocks }),
  },
];

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld({ retry: { baseDelayMs: 1, maxDelayMs: 1, budget: 1 } });
});
afterAll(() => world.close());

async function outcome(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return "ok";
  } catch (error) {
    const { code, reason } = await failureOf(Promise.reject(error));
    return `${code} ${reason}`;
  }
}

test.each(SENT_ONCE)("$method is sent once when its response is lost", async ({ call, prepare, again }) => {
  for (const way of WAYS) {
    world.reset();
    const api = world.api(way);
    await prepare?.(api);
    const before = world.sandbox.received.total;
    world.sandbox.next({ reset: "after" });
    const first = await outcome(call(api, world));
    expect([way, first, world.sandbox.received.total - before]).toEqual([
      way,
      "Unavailable UPSTREAM_RESET",
      1,
    ]);
    expect([way, await outcome(call(api, world))]).toEqual([way, again]);
  }
});

test.each(SENT_AGAIN)("$method is sent again when its response is lost", async ({ call }) => {
  for (const way of WAYS) {
    world.reset();
    world.sandbox.next({ reset: "after" });
    const before = world.sandbox.received.total;
    expect([way, await outcome(call(world.api(way), world))]).toEqual([way, "ok"]);
    expect(world.sandbox.received.total - before).toBe(2);
  }
});

function verbOf(method: DescMethod): string | undefined {
  return getOption(method, http).pattern.case;
}

test("the tables list every PUT and DELETE method under its retry rule", () => {
  const changing = ADAPTERS.flatMap(({ methods }) =>
    Object.entries(methods).filter(([, { method }]) => ["put", "delete"].includes(verbOf(method) ?? "")),
  );
  const named = (idempotent: boolean) =>
    changing
      .filter(([, { rules }]) => rules.idempotent === idempotent)
      .map(([name]) => name)
      .sort();
  expect(named(false)).toEqual(SENT_ONCE.map(({ method }) => method).sort());
  expect(named(true)).toEqual(SENT_AGAIN.map(({ method }) => method).sort());
});

test("temporary credentials are exchanged only once, although the request is a GET", () => {
  expect(OAuthServiceRest.methods.createAccessToken?.rules.idempotent).toBe(false);
});
