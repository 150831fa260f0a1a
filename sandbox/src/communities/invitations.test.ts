import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { COMMUNITIES, type Sandbox, startSandbox } from "../index.ts";
import { askAs, outcome } from "../testing/client.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
let sandbox: Sandbox;
let C: string;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: NOW * 1000 });
  C = `${sandbox.url}/v2/communities`;
});
beforeEach(() => {
  sandbox.reset();
  sandbox.clock.freeze(NOW * 1000);
  sandbox.limits.invitationsPerDay = 250;
});
afterAll(() => sandbox.close());

/** Sends an invitation, one second after the previous one, so that only the daily limit applies. */
async function invite(
  user: string,
  community: string,
  recipient: unknown,
  message?: string,
): Promise<string> {
  sandbox.clock.advance(1000);
  const body = { recipient_blog: recipient, ...(message === undefined ? {} : { message }) };
  return outcome(await askAs(user, "PUT", `${C}/${community}/invitations`, body));
}

const remove = async (user: string, path: string) => outcome(await askAs(user, "DELETE", C + path));
const join = async (user: string, community: string, body?: unknown) =>
  outcome(await askAs(user, "PUT", `${C}/${community}/members`, body));

test("invitations are listed newest first, twenty per page, and the last page has no link", async () => {
  const first = (await askAs("ada", "GET", `${C}/night-sky/invitations`)).json.response;
  expect(first.invitations).toHaveLength(20);
  expect(first.invitations[0]).toMatchObject({ sender: { name: "ada" }, recipient: { name: "demo" } });
  const times = first.invitations.map((item: { sent_on: number }) => item.sent_on);
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
  expect(first._links.next.query_params).toEqual({ before: String(times.at(-1)) });
  const second = (await askAs("ada", "GET", sandbox.url + first._links.next.href)).json.response;
  expect([second.invitations.length, second._links]).toEqual([4, undefined]);
});

test("fields[blogs] selects the fields of sender and recipient", async () => {
  const got = await askAs("demo", "GET", `${C}/book-club/invitations?fields%5Bblogs%5D=name`);
  const sent_on = expect.any(Number);
  expect(got.json.response).toEqual({
    invitations: [{ sender: { name: "demo" }, recipient: { name: "reader-01" }, sent_on }],
  });
});

test.each(["reader-03", "reader-03.blog.example", "t:R3ader0000000000000003"])(
  "a blog can be invited as %s",
  async (identifier) => {
    expect(await invite("demo", "book-club", identifier, "x".repeat(100))).toBe("200");
    const found = await askAs("reader-03", "GET", `${C}/book-club/invitations/${identifier}`);
    expect(found.json.response.sender.name).toBe("demo");
    expect(await join("reader-03", "book-club")).toBe("200");
    expect(outcome(await askAs("demo", "GET", `${C}/book-club/invitations/${identifier}`))).toBe("404");
  },
);

test("rejected invitations have the documented subcodes", async () => {
  expect(await invite("demo", "book-club", undefined)).toBe("400");
  expect(await invite("demo", "book-club", "nobody-at-all")).toBe("404");
  expect(await invite("demo", "book-club", "reader-03", "\u{1F331}".repeat(101))).toBe("400.5041");
  expect(await invite("demo", "book-club", "reader-02")).toBe("403.23008");
  expect(await invite("demo", "book-club", "newsroom")).toBe("403.23008");
  expect(await invite("demo", "book-club", "grace")).toBe("403.23009");
  expect(await invite("demo", "book-club", "reader-01")).toBe("403.23011");
  expect(await invite("ada", "full-house", "reader-03")).toBe("403.23003");
});

test("the limit of 100 for a message counts characters, not bytes", async () => {
  expect(await invite("demo", "book-club", "reader-03", "\u{1F331}".repeat(100))).toBe("200");
});

test("moderators may invite if the settings allow it", async () => {
  expect(await invite("ada", "book-club", "reader-03")).toBe("403");
  await askAs("demo", "PUT", `${C}/book-club`, { mods_can_invite: true });
  expect(await invite("ada", "book-club", "reader-03")).toBe("200");
  expect((await askAs("ada", "GET", `${C}/book-club`)).json.response.can_invite).toBe(true);
});

test("a user who declined an invitation can be invited again, unless the user blocked further invitations", async () => {
  expect(await remove("reader-01", "/book-club/invitations/reader-01")).toBe("200");
  expect(await remove("reader-01", "/book-club/invitations/reader-01")).toBe("404");
  expect(await join("reader-01", "book-club")).toBe("403.23015");
  expect(await invite("demo", "book-club", "reader-01")).toBe("200");
  expect(await remove("reader-01", "/book-club/invitations/reader-01?do_not_invite=true")).toBe("200");
  expect(await invite("demo", "book-club", "reader-01")).toBe("403.23008");
});

test("an admin can cancel an invitation", async () => {
  expect(await remove("demo", "/book-club/invitations/reader-01")).toBe("200");
  expect(await join("reader-01", "book-club")).toBe("403.23015");
  expect(await join("reader-05", "book-club")).toBe("403.23015");
  expect(await join("reader-03", "book-club")).toBe("403.23001");
  expect(await join("reader-03", "quiet-circle")).toBe("403.23015");
});

test("a user can send one invitation per second across all communities", async () => {
  const send = (community: string, blog: string) =>
    askAs("demo", "PUT", `${C}/${community}/invitations`, { recipient_blog: blog });
  expect(outcome(await send("book-club", "reader-03"))).toBe("200");
  const second = await send("gardeners", "reader-03");
  expect([outcome(second), second.headers["retry-after"], second.json.meta.msg]).toEqual([
    "429",
    "1",
    "Limit Exceeded",
  ]);
  sandbox.clock.advance(1000);
  expect(outcome(await send("gardeners", "reader-03"))).toBe("200");
});

test("the daily invitation limit is per admin, and rejected invitations do not count", async () => {
  sandbox.limits.invitationsPerDay = 2;
  expect(await invite("demo", "book-club", "grace")).toBe("403.23009");
  expect(await invite("demo", "book-club", "reader-03")).toBe("200");
  expect(await invite("demo", "gardeners", "reader-03")).toBe("200");
  expect(await invite("demo", "book-club", "reader-06")).toBe("429");
  expect(await invite("ada", "quiet-circle", "reader-09")).toBe("200");
  sandbox.clock.freeze((Math.floor(NOW / DAY) + 1) * DAY * 1000);
  expect(await invite("demo", "book-club", "reader-06")).toBe("200");
});

test("a new invite link invalidates the previous one", async () => {
  const renewed = await askAs("demo", "POST", `${C}/book-club/invite_hash`);
  const link: string = renewed.json.response.invite_link;
  expect(link).toMatch(/^https:\/\/blog\.example\/join\/\w{16}$/);
  expect((await askAs("demo", "GET", `${C}/book-club`)).json.response.invite_link).toBe(link);
  expect(await join("reader-03", "book-club", { invite_hash: COMMUNITIES.private.hash })).toBe("400.23014");
  expect(await join("reader-03", "book-club", { invite_hash: link.split("/").at(-1) })).toBe("200");
});

test("disabled invite links are neither created nor accepted", async () => {
  expect(outcome(await askAs("ada", "POST", `${C}/quiet-circle/invite_hash`))).toBe("403.23017");
  expect(await join("reader-03", "quiet-circle", { invite_hash: COMMUNITIES.hidden.hash })).toBe("400.23014");
});
