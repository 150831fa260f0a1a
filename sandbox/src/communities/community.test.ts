import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CAST, COMMUNITIES, type Sandbox, startSandbox } from "../index.ts";
import { CREDENTIALS } from "../seed/credentials.ts";
import { ask, askAs, KEY, outcome, sendForm, signed } from "../testing/client.ts";

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
  sandbox.rules.communitySavingFails = false;
});
afterAll(() => sandbox.close());

const get = async (user: string, path: string) => (await askAs(user, "GET", C + path)).json.response;
const put = (user: string, path: string, body: unknown) => askAs(user, "PUT", C + path, body);

test("the list contains the communities of the caller in their short form", async () => {
  const list = await get("demo", "");
  expect(list.map((item: { name: string }) => item.name)).toEqual(["book-club", "gardeners"]);
  expect(list[0]).toEqual({
    name: "book-club",
    uuid: COMMUNITIES.private.uuid,
    title: "Book club",
    member_count: 3,
    mention_tag: "@@book-club",
    can_view: true,
    avatar_image: expect.arrayContaining([{ width: 512, height: 512, url: expect.any(String) }]),
  });
  expect(await get(CAST.nobody, "")).toEqual([]);
});

test("a handle, a UUID and a percent-encoded UUID name the same community", async () => {
  const names = await Promise.all(
    ["/gardeners", "/GARDENERS/", `/${COMMUNITIES.public.uuid}`, "/t%3AGard3nersCommunity0001"].map(
      async (path) => (await get("demo", path)).name,
    ),
  );
  expect(names).toEqual(["gardeners", "gardeners", "gardeners", "gardeners"]);
});

test("a member sees the full form", async () => {
  expect(await get(CAST.member, "/gardeners?context=edit")).toEqual({
    name: "gardeners",
    uuid: COMMUNITIES.public.uuid,
    title: "Gardeners",
    description: "A place for gardeners",
    about: "Be kind, and stay on topic.",
    guidelines: ["Be kind", "Stay on topic"],
    visibility: "public",
    member_count: 24,
    members_online_count: 3,
    mention_tag: "@@gardeners",
    is_member: true,
    can_view: true,
    can_post: true,
    can_edit: false,
    can_interact: true,
    can_invite: false,
    can_view_comments: true,
    post_count: 24,
    unread_post_count: 24,
    tags: ["gardeners", "seed"],
    created_ts: 1_754_222_400,
    avatar_image: expect.any(Array),
    header_image: expect.arrayContaining([
      { type: "image/png", width: 1280, height: 640, url: expect.any(String) },
    ]),
    population_cap: null,
    join_type: "free",
    has_content_label: false,
    content_label_categories: [],
    content_label_last_reporter: null,
  });
});

test("admins see the invite link and pending invitations, and also the editable fields with context=edit", async () => {
  const plain = await get("demo", "/book-club");
  expect(plain).toMatchObject({
    can_edit: true,
    can_invite: true,
    visibility: "private",
    invite_link: `https://blog.example/join/${COMMUNITIES.private.hash}`,
    pending_invitations_count: 1,
  });
  expect(plain.settings).toBeUndefined();
  expect(await get("demo", "/book-club?context=edit")).toMatchObject({
    handle_can_change: true,
    handle_next_change_ts: false,
    can_edit_content_label: true,
    settings: {
      invite_links_enabled: true,
      join_type: "invite",
      mods_can_invite: false,
      automod_links: false,
    },
  });
  expect((await get("ada", "/quiet-circle?context=edit")).invite_link).toBeNull();
});

test("an invited user sees the invitation and a private community without its posts", async () => {
  expect(await get("demo", "/night-sky")).toMatchObject({
    is_member: false,
    can_view: false,
    can_post: false,
    invitation: { type: "direct", sender: { name: "ada" } },
  });
  const sender = await get("demo", "/night-sky?fields%5Bblogs%5D=name");
  expect(sender.invitation.sender).toEqual({ name: "ada" });
});

test("muting hides the number of unread posts and nothing else", async () => {
  await askAs(CAST.member, "PUT", `${C}/gardeners/mute`);
  expect(await get(CAST.member, "/gardeners")).toMatchObject({ unread_post_count: 0, post_count: 24 });
  await askAs(CAST.member, "DELETE", `${C}/gardeners/mute`);
  expect((await get(CAST.member, "/gardeners")).unread_post_count).toBe(24);
});

test("an update changes only the given fields, and returns the form for editing", async () => {
  const got = await put("demo", "/gardeners", {
    title: "Trees",
    description: "Only trees",
    about: "",
    privacy: 1,
    tags: ["trees"],
    guidelines: [],
    invite_links_enabled: false,
    join_type: "invite",
    mods_can_invite: true,
    automod_links: true,
    has_content_label: true,
    content_label_categories: ["violence", "drug_use"],
  });
  expect(got.json.response).toMatchObject({
    title: "Trees",
    description: "Only trees",
    about: "",
    visibility: "private",
    tags: ["trees"],
    guidelines: [],
    invite_link: null,
    join_type: "invite",
    settings: {
      invite_links_enabled: false,
      join_type: "invite",
      mods_can_invite: true,
      automod_links: true,
    },
    has_content_label: true,
    content_label_categories: ["violence", "drug_use"],
    handle_can_change: true,
  });
  const again = await sendForm(
    `${C}/gardeners`,
    { "tags[0]": "a", "tags[1]": "b", privacy: "0" },
    { method: "PUT" },
  );
  expect(again.json.response).toMatchObject({ title: "Trees", tags: ["a", "b"], visibility: "public" });
});

test.each([
  { title: "" },
  { privacy: 2 },
  { privacy: "public" },
  { join_type: "open" },
  { mods_can_invite: "maybe" },
  { handle: "@@trees" },
  { handle: "a b" },
  { handle: "" },
  { handle: "book-club" },
  { content_label_categories: ["boredom"] },
])("an update with %j is rejected with 400 and changes nothing", async (body) => {
  const before = await get("demo", "/gardeners?context=edit");
  expect(outcome(await put("demo", "/gardeners", { description: "changed", ...body }))).toBe("400");
  expect(await get("demo", "/gardeners?context=edit")).toEqual(before);
});

test("content labels that the service set cannot be edited", async () => {
  for (const body of [{ has_content_label: false }, { content_label_categories: [] }]) {
    expect(outcome(await put("ada", "/quiet-circle", body))).toBe("400.23025");
  }
  expect(await get("ada", "/quiet-circle?context=edit")).toMatchObject({
    has_content_label: true,
    content_label_last_reporter: "service",
    can_edit_content_label: false,
  });
});

test("an update gets 503 while saving is disabled", async () => {
  sandbox.rules.communitySavingFails = true;
  expect(outcome(await put("demo", "/gardeners", { title: "x" }))).toBe("503");
  const restore = `/gardeners/moderation/posts/${COMMUNITIES.public.posts.removed}`;
  expect(outcome(await put("demo", restore, { note: "x" }))).toBe("503");
});

test("a handle can change once in seven days, and the old handle then becomes available", async () => {
  const changed = await put("demo", "/gardeners", { handle: "Tree-Lovers" });
  expect(changed.json.response).toMatchObject({
    name: "tree-lovers",
    mention_tag: "@@tree-lovers",
    handle_can_change: false,
    handle_next_change_ts: NOW + 7 * 86_400,
  });
  expect(outcome(await askAs("demo", "GET", `${C}/gardeners`))).toBe("404");
  expect((await get("demo", `/${COMMUNITIES.public.uuid}`)).name).toBe("tree-lovers");
  expect(outcome(await put("demo", "/tree-lovers", { handle: "gardeners" }))).toBe("400");
  expect(outcome(await put("demo", "/tree-lovers", { handle: "tree-lovers", title: "Same" }))).toBe("200");
  expect(outcome(await put("demo", "/book-club", { handle: "gardeners" }))).toBe("200");
  sandbox.clock.advance(7 * 86_400_000 - 1000);
  expect(outcome(await put("demo", "/tree-lovers", { handle: "trees" }))).toBe("400");
  sandbox.clock.advance(1000);
  expect(outcome(await put("demo", "/tree-lovers", { handle: "trees" }))).toBe("200");
  expect(outcome(await askAs("demo", "GET", `${C}/gardeners`))).toBe("200");
});

test("requests with a user's signature succeed, and requests with credentials of an application or a plain key are rejected", async () => {
  const url = `${C}/gardeners`;
  const timestamp = String(NOW);
  expect((await ask(url, { headers: signed(url, { timestamp }) })).status).toBe(200);
  const application = { authorization: `Bearer ${CREDENTIALS.applicationToken}` };
  expect((await ask(url, { headers: application })).status).toBe(403);
  expect((await ask(`${url}?${KEY}`)).status).toBe(401);
  const readOnly = { authorization: `Bearer ${CREDENTIALS.readOnlyToken}` };
  expect((await ask(`${url}/mute`, { method: "PUT", headers: readOnly })).status).toBe(403);
});

test("faults also apply to the community endpoints", async () => {
  sandbox.next({ status: 429, headers: { "retry-after": "3" } }, { match: "/communities" });
  sandbox.next({ drift: () => ({ unexpected: true }) }, { match: /^GET \/v2\/communities/ });
  expect((await askAs("demo", "GET", C)).headers["retry-after"]).toBe("3");
  expect((await askAs("demo", "GET", C)).json).toEqual({ unexpected: true });
  expect((await askAs("demo", "GET", C)).json.response).toHaveLength(2);
});
