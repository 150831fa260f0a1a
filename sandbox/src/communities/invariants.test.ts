import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CAST, COMMUNITIES, type Sandbox, startSandbox } from "../index.ts";
import { ask, askAs, bearer, type Got } from "../testing/client.ts";

let sandbox: Sandbox;
let C: string;
beforeAll(async () => {
  const off = Number.POSITIVE_INFINITY;
  sandbox = await startSandbox({
    limits: { callsPerHour: off, callsPerDay: off, invitationsPerSecond: off },
  });
  C = `${sandbox.url}/v2/communities`;
});
afterAll(() => sandbox.close());

const { handle } = COMMUNITIES.full;
const USERS = ["ada", "reader-01", "reader-03", "reader-04", "reader-05"] as const;
const user = fc.constantFrom(...USERS);
const role = fc.constantFrom("member", "moderator", "admin");

/** Generates actions of a user in the community, which has room for three members. */
const move = fc.oneof(
  fc.record({ by: user, method: fc.constant("PUT"), path: fc.constant("/members"), body: fc.constant({}) }),
  fc.record({
    by: user,
    method: fc.constant("DELETE"),
    path: user.map((name) => `/members/${name}`),
    body: fc.record({ reason: fc.constant("spam"), ban_user: fc.boolean() }),
  }),
  fc.record({
    by: user,
    method: fc.constant("PUT"),
    path: user.map((name) => `/members/${name}`),
    body: fc.record({ role }),
  }),
  fc.record({
    by: user,
    method: fc.constant("PUT"),
    path: fc.constant("/invitations"),
    body: fc.record({ recipient_blog: user }),
  }),
  fc.record({
    by: user,
    method: fc.constant("DELETE"),
    path: user.map((name) => `/invitations/${name}`),
    body: fc.record({ do_not_invite: fc.boolean() }),
  }),
);

test("property: after any actions of its users, a community has an admin, respects its member limit, and has no banned members", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 25 }), async (moves) => {
      sandbox.reset();
      const banned = new Set<string>();
      for (const { by, method, path, body } of moves) {
        const got = await askAs(by, method, `${C}/${handle}${path}`, body);
        expect(got.status).toBeLessThan(500);
        const target = path.split("/")[2] ?? "";
        if (
          method === "DELETE" &&
          "ban_user" in body &&
          body.ban_user &&
          by !== target &&
          got.status === 200
        ) {
          banned.add(target);
        }
      }
      const observer = await askAs(CAST.nobody, "GET", `${C}/${handle}/members`);
      const members: { name: string; is_admin: boolean }[] = observer.json.response?.members ?? [];
      if (observer.status === 403) return;
      expect(members.length).toBeLessThanOrEqual(3);
      expect(members.some((member) => member.is_admin)).toBe(true);
      expect(members.filter(({ name }) => banned.has(name))).toEqual([]);
    }),
    { numRuns: 30 },
  );
});

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
const PATHS = [
  "/v2/user/info",
  "/v2/user/limits",
  "/v2/user/dashboard",
  "/v2/user/likes",
  "/v2/user/following",
  "/v2/user/follow",
  "/v2/user/unfollow",
  "/v2/user/like",
  "/v2/user/unlike",
  "/v2/user/filtered_tags",
  "/v2/user/filtered_tags/*",
  "/v2/user/filtered_content",
  "/v2/tagged",
  "/v2/communities",
  "/v2/communities/*",
  ...[
    "",
    "/invitations",
    "/invitations/*",
    "/invite_hash",
    "/members",
    "/members/*",
    "/mute",
    "/posts/*/reactions",
    "/posts/*/reactions/*",
    "/moderation/posts/*",
    "/timeline",
  ].map((path) => `/v2/communities/gardeners${path}`),
] as const;
const NAMES = [
  "limit",
  "offset",
  "before",
  "after",
  "type",
  "since_id",
  "npf",
  "fields[blogs]",
  "url",
  "email",
  "id",
  "reblog_key",
  "filtered_tags",
  "filtered_content",
  "tag",
  "filter",
  "context",
  "title",
  "handle",
  "privacy",
  "tags",
  "guidelines",
  "join_type",
  "content_label_categories",
  "recipient_blog",
  "message",
  "do_not_invite",
  "page",
  "invite_hash",
  "reason",
  "note",
  "ban_user",
  "role",
  "slug",
  "grapheme",
  "cursor",
] as const;

interface Sent {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly segments: readonly string[];
  readonly query: Record<string, string>;
  readonly body: unknown;
}

test("property: no request causes an internal error", async () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 12 }),
    fc.constantFrom(
      "",
      "0",
      "-1",
      "1e99",
      "99999999999999999999",
      "true",
      "demo",
      "t:x",
      "\u0000",
      "%",
      "a/b",
      "..",
      ".",
    ),
  );
  const json = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
  const request = fc.record({
    method: fc.constantFrom(...METHODS),
    path: fc.constantFrom(...PATHS),
    segments: fc.array(text, { minLength: 2, maxLength: 2 }),
    query: fc.dictionary(fc.constantFrom(...NAMES), text, { maxKeys: 4 }),
    body: fc.dictionary(fc.constantFrom(...NAMES), json, { maxKeys: 5 }),
  });
  const send = ({ method, path, segments, query, body }: Sent): Promise<Got> => {
    let at = 0;
    const filled = path.replaceAll("*", () => encodeURIComponent(segments[at++] ?? ""));
    const url = `${sandbox.url}${filled}?${new URLSearchParams(query)}`;
    if (method === "GET") return ask(url, { headers: bearer("demo") });
    return askAs("demo", method, url, body);
  };
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      const got = await send(sent);
      expect(got.text.slice(0, 500)).not.toContain('"status":500');
      expect(got.status).toBeLessThan(500);
    }),
    { numRuns: 1500 },
  );
});
