import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CAST, COMMUNITIES, type Sandbox, startSandbox } from "../index.ts";
import { askAs, outcome } from "../testing/client.ts";
import { COMMUNITY_ERRORS } from "./errors.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: 1_800_000_000_000 });
});
beforeEach(() => sandbox.reset());
afterAll(() => sandbox.close());

const STANDINGS = ["nobody", "invited", "member", "moderator", "admin", "banned"] as const;
const SPAM = "reason=spam";

/** Returns the request of a row for a user, with its path below the community. */
type Request = (user: string, kind: "public" | "private") => [method: string, path: string, body?: unknown];

/** Returns a member other than the user. */
const other = (user: string) => (user === CAST.member ? CAST.moderator : CAST.member);

/**
 * The expected results of each request, in the order of `STANDINGS`, in the public and in the private
 * community.
 */
const ROWS: readonly [name: string, request: Request, inPublic: string, inPrivate: string][] = [
  ["join", () => ["PUT", "/members"], "200 200 200 200 200 403.23020", "403.23001 200 200 200 200 403.23020"],
  [
    "leave",
    (user) => ["DELETE", `/members/${user}?${SPAM}`],
    "404 404 200 200 400 404",
    "404 404 200 200 400 404",
  ],
  [
    "remove a member",
    (user) => ["DELETE", `/members/${other(user)}?${SPAM}`],
    "403.23002 403.23002 403 403 200 403.23020",
    "403.23001 403.23001 403 403 200 403.23020",
  ],
  [
    "give a role",
    (user) => ["PUT", `/members/${other(user)}`, { role: "admin" }],
    "403.23002 403.23002 403 403 200 403.23020",
    "403.23001 403.23001 403 403 200 403.23020",
  ],
  [
    "invite",
    () => ["PUT", "/invitations", { recipient_blog: CAST.nobody }],
    "403.23002 403.23002 403 403 200 403.23020",
    "403.23001 403.23001 403 403 200 403.23020",
  ],
  [
    "list invitations",
    () => ["GET", "/invitations"],
    "403.23002 403.23002 403 403 200 403.23020",
    "403.23001 403.23001 403 403 200 403.23020",
  ],
  [
    "look up an invitation",
    () => ["GET", `/invitations/${CAST.invited}`],
    "403.23002 200 403 403 200 403.23020",
    "403.23001 200 403 403 200 403.23020",
  ],
  [
    "cancel or decline an invitation",
    () => ["DELETE", `/invitations/${CAST.invited}`],
    "403.23002 200 403 403 200 403.23020",
    "403.23001 200 403 403 200 403.23020",
  ],
  [
    "replace the invite link",
    () => ["POST", "/invite_hash"],
    "403.23012 403.23012 403.23012 403.23012 200 403.23012",
    "403.23012 403.23012 403.23012 403.23012 200 403.23012",
  ],
  [
    "mute",
    () => ["PUT", "/mute"],
    "403.23002 403.23002 200 200 200 403.23020",
    "403.23001 403.23001 200 200 200 403.23020",
  ],
  [
    "unmute",
    () => ["DELETE", "/mute"],
    "403.23002 403.23002 200 200 200 403.23020",
    "403.23001 403.23001 200 200 200 403.23020",
  ],
  [
    "remove a post",
    (_, kind) => ["DELETE", `/moderation/posts/${COMMUNITIES[kind].posts.byMember}?${SPAM}`],
    "403.23002 403.23002 403 204 204 403.23020",
    "403.23001 403.23001 403 204 204 403.23020",
  ],
  [
    "restore a post",
    (_, kind) => ["PUT", `/moderation/posts/${COMMUNITIES[kind].posts.removed}`, { note: "Sorry" }],
    "403.23002 403.23002 403 204 204 403.23020",
    "403.23001 403.23001 403 204 204 403.23020",
  ],
  [
    "remove a post that is already removed",
    (_, kind) => ["DELETE", `/moderation/posts/${COMMUNITIES[kind].posts.removed}?${SPAM}`],
    "403.23002 403.23002 403 409.24006 409.24006 403.23020",
    "403.23001 403.23001 403 409.24006 409.24006 403.23020",
  ],
  [
    "restore a post that is not removed",
    (_, kind) => ["PUT", `/moderation/posts/${COMMUNITIES[kind].posts.restored}`, { note: "Sorry" }],
    "403.23002 403.23002 403 409.24007 409.24007 403.23020",
    "403.23001 403.23001 403 409.24007 409.24007 403.23020",
  ],
  [
    "see the moderation of the member's post",
    (_, kind) => ["GET", `/moderation/posts/${COMMUNITIES[kind].posts.removed}`],
    "403.23002 403.23002 200 200 200 403.23020",
    "403.23001 403.23001 200 200 200 403.23020",
  ],
  [
    "react",
    (_, kind) => ["PUT", `/posts/${COMMUNITIES[kind].posts.byAdmin}/reactions`, { slug: ":fire:" }],
    "403.23002 403.23002 200 200 200 403.23020",
    "403.23002 403.23002 200 200 200 403.23020",
  ],
  [
    "remove a reaction",
    (_, kind) => ["DELETE", `/posts/${COMMUNITIES[kind].posts.byAdmin}/reactions/emoji-07`],
    "403.23002 403.23002 200 200 200 403.23020",
    "403.23002 403.23002 200 200 200 403.23020",
  ],
  ["read", () => ["GET", ""], "200 200 200 200 200 403.23020", "403.23001 200 200 200 200 403.23020"],
  [
    "read for editing",
    () => ["GET", "?context=edit"],
    "403.23002 403.23002 200 200 200 403.23020",
    "403.23001 403.23002 200 200 200 403.23020",
  ],
  [
    "update",
    () => ["PUT", "", { title: "New" }],
    "403.23002 403.23002 403 403 200 403.23020",
    "403.23001 403.23001 403 403 200 403.23020",
  ],
  [
    "list members",
    () => ["GET", "/members"],
    "200 200 200 200 200 403.23020",
    "403.23001 200 200 200 200 403.23020",
  ],
  [
    "read the timeline",
    () => ["GET", "/timeline"],
    "200 200 200 200 200 403.23020",
    "403.23001 403.23001 200 200 200 403.23020",
  ],
];

const CASES = ROWS.flatMap(([name, request, inPublic, inPrivate]) =>
  (["public", "private"] as const).flatMap((kind) =>
    STANDINGS.map((standing, i) => {
      const expected = (kind === "public" ? inPublic : inPrivate).split(" ")[i] ?? "";
      return { name, request, kind, standing, expected };
    }),
  ),
);

test.each(CASES)(
  "a request to $name in the $kind community by a user with standing $standing returns $expected",
  async (row) => {
    const user = CAST[row.standing];
    const [method, path, body] = row.request(user, row.kind);
    const url = `${sandbox.url}/v2/communities/${COMMUNITIES[row.kind].handle}${path}`;
    expect(outcome(await askAs(user, method, url, body))).toBe(row.expected);
  },
);

test("the subcodes of community errors equal the documented subcodes", () => {
  const known = Object.values(COMMUNITY_ERRORS).map(({ status, code }) => `${status}.${code}`);
  expect(known).toEqual([
    "400.5041",
    "400.22001",
    "400.22002",
    "403.23001",
    "403.23002",
    "403.23003",
    "403.23008",
    "403.23009",
    "403.23011",
    "403.23012",
    "400.23014",
    "403.23015",
    "403.23017",
    "403.23020",
    "400.23025",
    "404.24005",
    "409.24006",
    "409.24007",
  ]);
});

test.each(STANDINGS)("an unknown community returns 404 for a user with standing %s", async (standing) => {
  const got = await askAs(CAST[standing], "GET", `${sandbox.url}/v2/communities/@@gardeners`);
  expect(outcome(got)).toBe("404");
});
