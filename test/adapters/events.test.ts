import { create, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  ListRepositoryEventsRequestSchema,
  ListRepositoryEventsResponseSchema,
} from "../../gen/events/v1/events_pb.ts";
import { EventService_listRepositoryEvents } from "../../gen/events/v1/events_rest.ts";
import { received, sent } from "../support/adapter.ts";

function events(text: string, status = 200, headers: Record<string, string> = {}) {
  const { message, differences } = received(EventService_listRepositoryEvents, { text, status, headers });
  return { json: toJson(ListRepositoryEventsResponseSchema, message), differences };
}

test("ListRepositoryEvents: sends GET /repos/{owner}/{repo}/events with its headers", () => {
  const message = create(ListRepositoryEventsRequestSchema, {
    owner: "octo",
    repo: "hello.world",
    perPage: 100,
    page: 2,
    ifNoneMatch: 'W/"a60"',
  });
  expect(sent(EventService_listRepositoryEvents, message)).toEqual({
    verb: "GET",
    path: "/repos/octo/hello.world/events",
    query: "per_page=100&page=2",
    headers: [
      ["accept", "application/vnd.service+json"],
      ["x-service-api-version", "2022-11-28"],
      ["if-none-match", 'W/"a60"'],
    ],
    body: undefined,
  });
  const plain = create(ListRepositoryEventsRequestSchema, { owner: "o", repo: "r" });
  expect(sent(EventService_listRepositoryEvents, plain)).toMatchObject({ query: "" });
});

test("ListRepositoryEvents: needs no credentials, and accepts 304 as a response", () => {
  expect(EventService_listRepositoryEvents.rules).toMatchObject({
    credentials: ["oauth2", "none"],
    success: [304],
    idempotent: true,
  });
});

test("ListRepositoryEvents: reads a plain array of events, and values from headers", () => {
  const event = {
    id: "22249084964",
    type: "PushEvent",
    actor: { id: 583231, login: "octo", display_login: "octo", gravatar_id: "", url: "u", avatar_url: "a" },
    repo: { id: 1296269, name: "octo/hello", url: "r" },
    payload: { push_id: 10115855396, size: 1, ref: "refs/heads/master", commits: [{ sha: "7a8f" }] },
    public: true,
    created_at: "2022-06-09T12:47:28Z",
  };
  const { json, differences } = events(JSON.stringify([event]), 200, {
    etag: '"e"',
    "x-poll-interval": "60",
    "last-modified": "Thu, 09 Jun 2022 12:47:28 GMT",
    link: '<https://api.test/?page=2>; rel="next", <https://api.test/?page=9>; rel="last"',
    "x-ratelimit-limit": "60",
    "x-ratelimit-remaining": "59",
    "x-ratelimit-reset": "1700000000",
  });
  expect(differences).toEqual([]);
  expect(json).toMatchObject({
    events: [
      {
        id: "22249084964",
        type: "EVENT_TYPE_PUSH",
        actor: { id: "583231", login: "octo", displayLogin: "octo" },
        repo: { id: "1296269", name: "octo/hello" },
        public: true,
        createdAt: "2022-06-09T12:47:28Z",
      },
    ],
    etag: '"e"',
  });
  const text = JSON.stringify(json);
  for (const part of ["10115855396", "refs/heads/master", "7a8f", "https://api.test/?page=9", "2023-11-14"]) {
    expect(text).toContain(part);
  }
});

test("ListRepositoryEvents: keeps all values of an event of an unknown type", () => {
  const { json } = events(
    '[{"id":"1","type":"NewEvent","payload":{"a":[1,{"b":null}],"id":700000000000000001}}]',
  );
  const text = JSON.stringify(json);
  expect(text).toContain('"NewEvent"');
  expect(text).toContain('{"a":[1,{"b":null}],"id":"700000000000000001"}');
});

test("ListRepositoryEvents: reads a 304 without a body", () => {
  const { json, differences } = events("", 304, { etag: '"e"' });
  expect(differences).toEqual([]);
  expect(json).toMatchObject({ etag: '"e"' });
  expect(Object.values(json as object)).toContain(true);
});
