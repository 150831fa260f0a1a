import { afterAll, beforeAll, expect, test } from "vitest";
import { MemberRole } from "../../gen/community/v1/member_pb.ts";
import { RemovalReason } from "../../gen/community/v1/removal_reason_pb.ts";
import { type Api, type BlogWorld, startBlogWorld, WAYS, type Way } from "../blog/world.ts";
import { failureOf } from "../end-to-end/failure.ts";

/** The users, by their role in the seeded communities. */
const USERS = {
  nobody: "reader-03",
  invited: "reader-01",
  member: "grace",
  moderator: "ada",
  admin: "demo",
  banned: "reader-02",
} as const;
type Standing = keyof typeof USERS;
const STANDINGS = Object.keys(USERS) as Standing[];

/** An open public community, and a private one, each with a visible and a removed post. */
const PUBLIC = { communityHandle: "gardeners", first: 735_900_001_000_000_004n };
const PRIVATE = { communityHandle: "book-club", first: 735_900_002_000_000_007n };

type Call = (api: Api["communities"], community: typeof PUBLIC, user: string) => Promise<unknown>;
const own = (community: typeof PUBLIC, user: string) => ({ ...community, blogIdentifier: user });

/** The transitions of the reference, and similar calls. */
const MOVES: ReadonlyArray<readonly [name: string, call: Call]> = [
  ["look", (api, community) => api.getCommunity(community)],
  ["join", (api, community) => api.joinCommunity(community)],
  [
    "leave",
    (api, community, user) => api.removeMember({ ...own(community, user), reason: RemovalReason.OFF_TOPIC }),
  ],
  [
    "remove the member",
    (api, community) =>
      api.removeMember({ ...own(community, "grace"), reason: RemovalReason.SPAM, banUser: true }),
  ],
  [
    "change the member's role",
    (api, community) => api.updateMemberRole({ ...own(community, "grace"), role: MemberRole.MODERATOR }),
  ],
  [
    "give up the own role",
    (api, community, user) => api.updateMemberRole({ ...own(community, user), role: MemberRole.MEMBER }),
  ],
  [
    "invite nobody yet",
    (api, community) => api.createInvitation({ ...community, recipientBlog: "reader-03" }),
  ],
  [
    "invite an invited blog",
    (api, community) => api.createInvitation({ ...community, recipientBlog: "reader-01" }),
  ],
  ["invite a member", (api, community) => api.createInvitation({ ...community, recipientBlog: "grace" })],
  [
    "invite a banned blog",
    (api, community) => api.createInvitation({ ...community, recipientBlog: "reader-02" }),
  ],
  ["end an invitation", (api, community) => api.deleteInvitation(own(community, "reader-01"))],
  ["make an invite link", (api, community) => api.regenerateInviteLink(community)],
  ["mute", (api, community) => api.muteCommunity(community)],
  ["unmute", (api, community) => api.unmuteCommunity(community)],
  [
    "react",
    (api, community) =>
      api.addReaction({ ...community, postId: community.first, emoji: { case: "grapheme", value: "👍" } }),
  ],
  [
    "remove a post",
    (api, community) => api.removePost({ ...community, postId: community.first, reason: RemovalReason.SPAM }),
  ],
  [
    "remove a removed post",
    (api, community) =>
      api.removePost({ ...community, postId: community.first + 3027n, reason: RemovalReason.SPAM }),
  ],
  [
    "restore a removed post",
    (api, community) => api.restorePost({ ...community, postId: community.first + 3027n, note: "n" }),
  ],
  [
    "restore a restored post",
    (api, community) => api.restorePost({ ...community, postId: community.first + 4036n, note: "n" }),
  ],
  [
    "remove a deleted post",
    (api, community) =>
      api.removePost({ ...community, postId: community.first + 5045n, reason: RemovalReason.SPAM }),
  ],
  ["read the timeline", (api, community) => api.listTimeline(community)],
  ["edit", (api, community) => api.updateCommunity({ ...community, title: "T" })],
];

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld();
});
afterAll(() => world.close());

async function outcome(call: Call, community: typeof PUBLIC, standing: Standing, way: Way): Promise<string> {
  world.reset();
  const user = USERS[standing];
  world.credentials = { oauth2: { accessToken: `${user}-user-access-token` } };
  try {
    await call(world.api(way).communities, community, user);
    return "ok";
  } catch (error) {
    const { code, reason } = await failureOf(Promise.reject(error));
    return `${code} ${reason}`;
  }
}

async function tableOf(title: string, community: typeof PUBLIC, way: Way): Promise<string> {
  const lines = [`${title} community`, "", `| move | ${STANDINGS.join(" | ")} |`];
  lines.push(`| --- | ${STANDINGS.map(() => "---").join(" | ")} |`);
  for (const [name, call] of MOVES) {
    const cells: string[] = [];
    for (const standing of STANDINGS) cells.push(await outcome(call, community, standing, way));
    lines.push(`| ${name} | ${cells.join(" | ")} |`);
  }
  return lines.join("\n");
}

test.each(WAYS)("every transition from every role has the result in the table, by %s", async (way) => {
  const tables = [await tableOf("A public", PUBLIC, way), await tableOf("A private", PRIVATE, way)];
  await expect(`${tables.join("\n\n")}\n`).toMatchFileSnapshot("./states.txt");
});
