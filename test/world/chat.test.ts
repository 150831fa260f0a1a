import { Code } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { ChatService } from "../gen/world/v1/chat_pb.ts";
import { ChatServiceRest } from "../gen/world/v1/chat_rest.ts";
import { type Answers, start } from "../rules/world.ts";

const upstream = { credentials: { oauth2: { accessToken: "token" } } };
const chat = (answers: Answers) => start(ChatService, ChatServiceRest, answers, { upstream });

test("a response with status 200 is an error if its body says so", async () => {
  const { client } = await chat([
    { json: { ok: true, ts: "1.5" } },
    { json: { ok: false, error: "channel_not_found" } },
    { json: { ok: false, error: "is_archived" } },
  ]);
  expect((await client.postMessage({ channel: "c", text: "Hi" })).ts).toBe("1.5");
  const unknown = await failureOf(client.postMessage({ channel: "x" }));
  expect([unknown.code, reasonOf(unknown)]).toEqual([Code.NotFound, "CHANNEL_NOT_FOUND"]);
  const rejected = await failureOf(client.postMessage({ channel: "c" }));
  expect([rejected.code, reasonOf(rejected)]).toEqual([Code.FailedPrecondition, "REFUSED"]);
  expect(rejected.message).toBe("[failed_precondition] upstream chat responded with 200 OK: is_archived");
});

test("an empty cursor ends a list, and an error on a later page follows the earlier items", async () => {
  const { client, seen } = await chat([
    { json: { ok: true, members: [{ id: "a" }], response_metadata: { next_cursor: "c=1" } } },
    { json: { ok: true, members: [{ id: "b" }], response_metadata: { next_cursor: "" } } },
    { json: { ok: false, error: "ratelimited" } },
  ]);
  const ids: string[] = [];
  for await (const { id } of client.listMembers({ channel: "c" })) ids.push(id);
  expect(ids).toEqual(["a", "b"]);
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /api/members.list?channel=c",
    "GET /api/members.list?channel=c&cursor=c%3D1",
  ]);
  const error = await failureOf(client.listMembers({ channel: "c" })[Symbol.asyncIterator]().next());
  expect(reasonOf(error)).toBe("REFUSED");
});
