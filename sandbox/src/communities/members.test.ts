import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CAST, COMMUNITIES, type Sandbox, startSandbox } from "../index.ts";
import { LIMITS } from "../limits.ts";
import { askAs, outcome } from "../testing/client.ts";

const NOW = 1_800_000_000;
let sandbox: Sandbox;
let C: string;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: NOW * 1000 });
  C = `${sandbox.url}/v2/communities`;
});
beforeEach(() => {
  sandbox.reset();
  sandbox.clock.freeze(NOW * 1000);
  Object.assign(sandbox.limits, LIMITS);
});
afterAll(() => sandbox.close());

const members = async (user: string, path: string) =>
  (await askAs(user, "GET", C + path)).json.response.members.map((item: { name: string }) => item.name);
const join = async (user: string, community: string, body?: unknown) =>
  outcome(await askAs(user, "PUT", `${C}/${community}/members`, body));
const removal = async (user: string, path: string) => outcome(await askAs(user, "DELETE", C + path));
const role = async (user: string, path: string, body: unknown) =>
  outcome(await askAs(user, "PUT", C + path, body));

test("members are listed as blogs, admins and moderators first, twenty per page", async () => {
  const first = (await askAs("demo", "GET", `${C}/gardeners/members`)).json.response;
  expect(first.members).toHaveLength(20);
  expect(first.members[0]).toMatchObject({ name: "demo", uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw", is_admin: true });
  expect(first.members[1]).toMatchObject({
    name: "ada",
    url: "https://notes.ada.example/",
    joined_ts: expect.any(Number),
    is_admin: false,
    is_moderator: true,
    is_following_you: true,
    followed: true,
    is_mutual: true,
  });
  expect(first._links.next.query_params).toEqual({ page: "2", filter: "all" });
  const second = (await askAs("demo", "GET", sandbox.url + first._links.next.href)).json.response;
  expect([second.members.length, second._links]).toEqual([4, undefined]);
  expect(await members("demo", "/gardeners/members?page=3")).toEqual([]);
});

test("members can be filtered by role, and by whether the caller follows them", async () => {
  expect(await members("demo", "/gardeners/members?filter=admin")).toEqual(["demo"]);
  expect(await members("demo", "/gardeners/members?filter=moderator")).toEqual(["ada"]);
  expect(await members("demo", "/full-house/members?filter=following")).toEqual([
    "ada",
    "reader-04",
    "reader-05",
  ]);
  expect(await members("ada", "/gardeners/members?filter=following")).toEqual(["demo", "grace"]);
  expect(await members("ada", "/gardeners/members?filter=mutual")).toEqual(["demo"]);
});

test.each(["page=0", "page=x", "filter=banned"])(
  "a member list with %s is rejected with 400",
  async (query) => {
    expect(outcome(await askAs("demo", "GET", `${C}/gardeners/members?${query}`))).toBe("400");
  },
);

test("a hidden member list shows only admins and moderators", async () => {
  expect(await members("demo", "/quiet-circle/members")).toEqual(["ada", "reader-06"]);
  expect(await members("reader-04", "/quiet-circle/members")).toHaveLength(5);
  await askAs("ada", "PUT", `${C}/quiet-circle/invitations`, { recipient_blog: "demo" });
  expect(await members("demo", "/quiet-circle/members")).toHaveLength(5);
});

test("an invite hash makes the members of a private community visible", async () => {
  const hash = COMMUNITIES.private.hash;
  expect(await members(CAST.nobody, `/book-club/members?invite_hash=${hash}`)).toEqual([
    "demo",
    "ada",
    "grace",
  ]);
  expect(await members(CAST.invited, "/book-club/members?fields[blogs]=name")).toHaveLength(3);
  const wrong = await askAs(CAST.nobody, "GET", `${C}/book-club/members?invite_hash=wrong`);
  expect(outcome(wrong)).toBe("403.23001");
});

test("the current invite hash admits a user to a private community, and a wrong hash does not", async () => {
  expect(await join(CAST.nobody, "book-club", { invite_hash: "wrong" })).toBe("400.23014");
  expect(await join(CAST.invited, "book-club", { invite_hash: "wrong" })).toBe("400.23014");
  expect(await join(CAST.nobody, "book-club", { invite_hash: COMMUNITIES.private.hash })).toBe("200");
  const hash = { invite_hash: COMMUNITIES.private.hash };
  expect(await join(CAST.banned, "book-club", hash)).toBe("403.23020");
});

test("everybody can join an open private community, but only members can read it", async () => {
  expect(outcome(await askAs("demo", "PUT", `${C}/gardeners`, { privacy: 1 }))).toBe("200");
  expect(outcome(await askAs(CAST.nobody, "GET", `${C}/gardeners/members`))).toBe("403.23001");
  expect(await join(CAST.banned, "gardeners")).toBe("403.23020");
  expect(await join(CAST.nobody, "gardeners")).toBe("200");
  expect(await members(CAST.nobody, "/gardeners/members")).toHaveLength(20);
});

test("nobody can join a full community, with or without an invitation, until a member leaves", async () => {
  expect(await join(CAST.nobody, "full-house")).toBe("403.23003");
  expect(await join(CAST.invited, "full-house")).toBe("403.23003");
  expect(await join(CAST.nobody, "full-house", { invite_hash: COMMUNITIES.full.hash })).toBe("403.23003");
  expect(await removal("reader-04", "/full-house/members/reader-04?reason=off_topic")).toBe("200");
  expect(await join(CAST.invited, "full-house")).toBe("200");
});

test("joins without an invitation count towards the hourly and daily limits, and joins by invitation do not", async () => {
  sandbox.limits.joinsPerHour = 2;
  sandbox.limits.joinsPerDay = 3;
  const again = async () => {
    await removal(CAST.nobody, `/gardeners/members/${CAST.nobody}?reason=spam`);
    return askAs(CAST.nobody, "PUT", `${C}/gardeners/members`);
  };
  expect([outcome(await again()), outcome(await again())]).toEqual(["200", "200"]);
  const third = await again();
  expect([outcome(third), third.headers["retry-after"]]).toEqual(["429", String(3600 - (NOW % 3600))]);
  expect(await join(CAST.nobody, "book-club", { invite_hash: COMMUNITIES.private.hash })).toBe("429");
  expect(await join(CAST.nobody, "night-sky")).toBe("200");
  sandbox.clock.advance(3_600_000);
  expect([outcome(await again()), outcome(await again())]).toEqual(["200", "429"]);
  sandbox.clock.advance(86_400_000);
  expect(outcome(await again())).toBe("200");
});

test("a removal needs a reason, and also a note if the reason is `other`", async () => {
  const path = "/gardeners/members/reader-04";
  expect(await removal("demo", path)).toBe("400");
  expect(await removal("demo", `${path}?reason=boring`)).toBe("400");
  expect(await removal("demo", `${path}?reason=other`)).toBe("400");
  expect(await removal("demo", `${path}?reason=other&note=${"x".repeat(1001)}`)).toBe("400");
  expect(await removal("demo", `${path}?reason=other&note=${"x".repeat(1000)}`)).toBe("200");
  expect(await removal("demo", `${path}?reason=spam`)).toBe("404");
  expect(await removal("demo", "/gardeners/members/nobody-at-all?reason=spam")).toBe("404");
});

test("the reason of a removal may be in the body", async () => {
  const got = await askAs("demo", "DELETE", `${C}/gardeners/members/reader-04`, {
    reason: "spam",
    ban_user: true,
  });
  expect(outcome(got)).toBe("200");
  expect(await join("reader-04", "gardeners")).toBe("403.23020");
});

test("a ban is permanent, and a removal without a ban is not", async () => {
  expect(await removal("demo", "/gardeners/members/reader-04?reason=spam&ban_user=true")).toBe("200");
  expect(await removal("demo", "/gardeners/members/reader-05?reason=spam")).toBe("200");
  sandbox.clock.advance(365 * 86_400_000);
  expect(await join("reader-04", "gardeners")).toBe("403.23020");
  expect(await join("reader-05", "gardeners")).toBe("200");
});

test("admins can set roles, but not unknown roles, and the last admin keeps the role", async () => {
  expect(await role("demo", "/gardeners/members/grace", {})).toBe("400");
  expect(await role("demo", "/gardeners/members/grace", { role: "owner" })).toBe("400");
  expect(await role("demo", "/gardeners/members/reader-03", { role: "member" })).toBe("404");
  expect(await role("demo", "/gardeners/members/demo", { role: "member" })).toBe("400");
  expect(await removal("demo", "/gardeners/members/demo?reason=spam")).toBe("400");
  expect(await role("demo", "/gardeners/members/demo", { role: "admin" })).toBe("200");
  expect(await role("demo", "/gardeners/members/grace", { role: "admin" })).toBe("200");
  expect(await role("demo", "/gardeners/members/demo", { role: "moderator" })).toBe("200");
  expect(await role("demo", "/gardeners/members/grace", { role: "member" })).toBe("403");
  expect(await members("demo", "/gardeners/members?filter=admin")).toEqual(["grace"]);
});
