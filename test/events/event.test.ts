import { toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EventSchema } from "../../gen/events/v1/event_pb.ts";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { EventServiceRest } from "../../gen/events/v1/events_rest.ts";
import { PAYLOADS } from "../../sandbox/src/events/payloads.ts";
import { start } from "../rules/world.ts";

/** Reads an event from JSON. Returns the event and the differences. */
async function read(event: object | string) {
  const body = `[${typeof event === "string" ? event : JSON.stringify(event)}]`;
  const { client, differences } = await start(EventService, EventServiceRest, { body });
  const [first] = (await client.listPublicEvents({})).events;
  if (first === undefined) throw new Error("no event was read");
  return { event: toJson(EventSchema, first) as Record<string, unknown>, differences };
}

/** The current event types, each with a separate payload type. */
const CURRENT = PAYLOADS.filter(([type]) => !["SponsorshipEvent", "TeamAddEvent"].includes(type));

test("the reference has sixteen current event types", () => {
  expect(new Set(CURRENT.map(([type]) => type)).size).toBe(16);
});

test.each(CURRENT)("%s is read with all values that the reference names", async (type, payload) => {
  for (const variant of [1, 2, 3]) {
    const { event, differences } = await read({ id: "1", type, payload: payload(variant) });
    expect(differences).toEqual([]);
    expect(event.typeName).toBe(type);
    expect(event.type).toMatch(/^EVENT_TYPE_/);
    expect(Object.keys(event)).toHaveLength(4);
  }
});

const event = (type: string, payload: object, member: string, expected: object) =>
  [
    type,
    payload,
    { id: "1", type: expect.stringMatching(/^EVENT_TYPE_/), typeName: type, [member]: expected },
  ] as const;
const other = (type: string, payload: object) => event(type, payload, "other", payload);

test.each([
  event("PushEvent", { push_id: 1, ref: "r", size: 0, commits: [] }, "push", {
    pushId: "1",
    ref: "r",
    size: 0,
    commits: {},
  }),
  event("PushEvent", { push_id: 25_000_000_000, repository_id: 201, before: "b" }, "push", {
    pushId: "25000000000",
    repositoryId: "201",
    before: "b",
  }),
  event("PushEvent", { push_id: "1", commits: [{ sha: "s" }] }, "push", {
    pushId: "1",
    commits: { commits: [{ sha: "s" }] },
  }),
  event(
    "CommitCommentEvent",
    { comment: { id: 1, line: null, position: "5", user: null } },
    "commitComment",
    { comment: { id: "1", position: 5 } },
  ),
  event("CreateEvent", { ref: null, ref_type: "repository", description: null }, "create", {
    refType: "repository",
  }),
  event("ForkEvent", { action: "forked", forkee: { id: 1, public: true } }, "fork", {
    action: "forked",
    forkee: { id: 1, public: true },
  }),
  event("GollumEvent", { pages: [{ page_name: "p", summary: null }] }, "gollum", {
    pages: [{ pageName: "p" }],
  }),
  event(
    "IssuesEvent",
    {
      action: "pinned",
      issue: { id: 1 },
      assignee: null,
      assignees: [{ id: 5, login: "a" }],
      labels: [{ id: 1 }],
    },
    "issues",
    { action: "pinned", issue: { id: 1 }, assignees: [{ id: "5", login: "a" }], labels: [{ id: 1 }] },
  ),
  event(
    "PullRequestReviewCommentEvent",
    { comment: { id: 1, pull_request_review_id: null, user: null } },
    "pullRequestReviewComment",
    { comment: { id: "1" } },
  ),
  event(
    "ReleaseEvent",
    {
      action: "published",
      release: { id: 1, name: null, published_at: null, short_description_html: "<p>" },
    },
    "release",
    { action: "published", release: { id: "1", shortDescriptionHtml: "<p>" } },
  ),
  event("PublicEvent", {}, "publicPayload", {}),
  event("PublicEvent", [], "publicPayload", {}),
  other("PullRequestReviewThreadEvent", { action: "resolved", thread: { comments: [] } }),
  other("TeamAddEvent", { team: { id: 1 }, user: { login: "u" }, membership_id: 5 }),
  other("DownloadEvent", { download: { id: 1 } }),
  other("FollowEvent", { target: { login: "t" } }),
  other("GistEvent", { action: "fork", gist: { id: "g" } }),
  other("ForkApplyEvent", { head: "h", before: "b", after: "a" }),
  other("SponsorshipEvent", { action: "created" }),
])("reads %s with %j", async (type, payload, expected) => {
  expect((await read({ id: "1", type, payload })).event).toEqual(expected);
});

test("all values of an event with an unknown type or without a type are kept", async () => {
  const payload = { a: [1, { b: null }] };
  expect((await read({ id: 1, type: "NewEvent", payload })).event).toEqual({
    id: "1",
    typeName: "NewEvent",
    other: payload,
  });
  expect((await read({ id: "1", type: null, payload })).event).toEqual({ id: "1", other: payload });
});

test("an old event is read without a repository id or a display name, and with another key for the avatar's id", async () => {
  const { event, differences } = await read({
    id: "1",
    type: "WatchEvent",
    actor: { id: 5, login: "a", other_avatar_id: "", url: "u", avatar_url: "v" },
    repo: { name: "/", url: "u" },
    org: { id: 6, login: "o", external_avatar_id: null },
    payload: { action: "started" },
    public: true,
    created_at: "2012-01-02T03:04:05Z",
  });
  expect(differences).toEqual([]);
  expect(event).toMatchObject({
    actor: { id: "5", login: "a", unknownFields: { other_avatar_id: '""' } },
    repo: { name: "/" },
    org: { id: "6", login: "o" },
    createdAt: "2012-01-02T03:04:05Z",
  });
  expect(event.repo).not.toHaveProperty("id");
});

test("ids above 2^53 are exact", async () => {
  const { event } = await read('{"id":"1","type":"PushEvent","payload":{"push_id":900719925474099267}}');
  expect(event).toMatchObject({ push: { pushId: "900719925474099267" } });
});
