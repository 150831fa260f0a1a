import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { AssistantService } from "../gen/world/v1/assistant_pb.ts";
import { AssistantServiceRest } from "../gen/world/v1/assistant_rest.ts";
import { type Answer, type Answers, type Settings, start } from "../rules/world.ts";

const assistant = (answers: Answers, { upstream, ...settings }: Settings = {}) =>
  start(AssistantService, AssistantServiceRest, answers, {
    upstream: { credentials: { apiKey: "secret" }, ...upstream },
    ...settings,
  });

/** Returns events as a server sends them, one chunk per argument. */
const events = (...pieces: readonly string[]): Answer => ({
  headers: { "content-type": "text/event-stream; charset=utf-8" },
  write: (response) => {
    for (const piece of pieces) response.write(piece);
    response.end();
  },
});

async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const message of messages) found.push(message);
  return found;
}

test("typed events become members of a oneof, and the last event type ends the stream", async () => {
  const { client, seen, differences } = await assistant(
    events(
      'event: answer_start\ndata: {"type": "answer_start", "id": "a1"}\n\n',
      'event: ping\ndata: {"type": "ping"}\n\n',
      'event: answer_delta\ndata: {"type": "answer_delta", "index": 1, "text": "Hi"}\n\n',
      'event: answer_stop\ndata: {"type": "answer_stop", "reason": "end"}\n\ndata: never read\n\n',
    ),
  );
  const turns = [{ role: "user", text: "Hello" }];
  const found = await all(client.streamAnswer({ model: "m", turns }));
  expect(found.map(({ event }) => [event.case, event.value])).toMatchObject([
    ["answerStart", { id: "a1" }],
    ["ping", {}],
    ["answerDelta", { index: 1, text: "Hi" }],
    ["answerStop", { reason: "end" }],
  ]);
  expect(seen.map(({ line, text }) => [line, text])).toEqual([
    ["POST /v1/answers", '{"stream":true,"model":"m","turns":[{"role":"user","text":"Hello"}]}'],
  ]);
  expect(seen[0]?.allHeaders).toEqual(
    expect.arrayContaining(["accept: text/event-stream", "x-api-key: secret"]),
  );
  expect(differences).toEqual([]);
});

test("an error event becomes the error of the call, after the earlier messages", async () => {
  const { client } = await assistant(
    events(
      'data: {"type": "answer_delta", "text": "Hi"}\n\n',
      'event: error\ndata: {"type": "error", "error": {"type": "overloaded", "message": "Come back later"}}\n\n',
    ),
  );
  const found: unknown[] = [];
  const error = await failureOf(
    (async () => {
      for await (const { event } of client.streamAnswer({})) found.push(event.case);
    })(),
  );
  expect(found).toEqual(["answerDelta"]);
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "OVERLOADED"]);
  expect(error.message).toBe("[unavailable] upstream assistant responded with 200 OK: Come back later");
});

test("an error response before the stream is read like other errors", async () => {
  const { client } = await assistant({
    status: 400,
    json: { type: "error", error: { type: "invalid", message: "no such model" } },
  });
  const error = await failureOf(all(client.streamAnswer({})));
  expect(error.message).toBe(
    "[invalid_argument] upstream assistant responded with 400 Bad Request: no such model",
  );
});

test("a JSON error with status 200 instead of events becomes the error of the call", async () => {
  const { client } = await assistant({ json: { error: { type: "overloaded", message: "Later" } } });
  const error = await failureOf(all(client.streamAnswer({})));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "OVERLOADED"]);
});

test("a response other than an event stream is an error that names the response's type", async () => {
  const { client } = await assistant({ body: "<html>", headers: { "content-type": "text/html" } });
  expect((await failureOf(all(client.streamAnswer({})))).message).toBe(
    "[internal] upstream assistant: expected text/event-stream with status 200, got text/html",
  );
});

test("a stream without its final event fails with UPSTREAM_TRUNCATED", async () => {
  const { client } = await assistant(events('data: {"type": "answer_delta", "text": "Hi"}\n\n'));
  const error = await failureOf(all(client.streamAnswer({})));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_TRUNCATED"]);
});

test("a connection that breaks inside the stream fails the call with UPSTREAM_TRUNCATED", async () => {
  const { client } = await assistant({
    ...events(),
    write: (response) => response.write('data: {"type": "ping"}\n\n', () => response.destroy()),
  });
  const error = await failureOf(all(client.streamAnswer({})));
  expect(reasonOf(error)).toBe("UPSTREAM_TRUNCATED");
});

test("the final [DONE] ends the stream, even without an empty line after it", async () => {
  for (const end of ["data: [DONE]\n\n", "data: [DONE]", "data:[DONE]\r\n"]) {
    const { client } = await assistant(events('data: {"id": 1, "text": "a"}\n\n', end));
    expect((await all(client.streamCompletion({}))).map(({ text }) => text)).toEqual(["a"]);
  }
});

test("a stream without [DONE] or with half an event fails with UPSTREAM_TRUNCATED", async () => {
  for (const rest of ["", 'data: {"id": 2}', 'data: {"id": 2}\n']) {
    const { client } = await assistant(events('data: {"id": 1}\n\n', rest));
    expect(reasonOf(await failureOf(all(client.streamCompletion({}))))).toBe("UPSTREAM_TRUNCATED");
  }
});

test("integers above 2^53 are exact", async () => {
  const { client, differences } = await assistant(
    events('data: {"id": 9007199254740993}\n\n', "data: [DONE]\n\n"),
  );
  expect((await all(client.streamCompletion({}))).map(({ id }) => id)).toEqual([9007199254740993n]);
  expect(differences).toEqual([]);
});

test("data that is not JSON is an error instead of an empty message", async () => {
  const { client } = await assistant(events("data: oops\n\n", "data: [DONE]\n\n"));
  expect((await failureOf(all(client.streamCompletion({})))).message).toBe(
    "[internal] upstream assistant: expected JSON with status 200, got a record that is none (4 characters)",
  );
});

test("the event name selects the member, the data is the payload, and the event ID is read into a field", async () => {
  const { client, seen } = await assistant(
    events(
      '\ufeffevent: step.done\rid: 7\rdata: {"name": "a",\rdata: "tokens": 2}\r\r',
      ": a comment\n\nretry: 100\n\n",
      "event:note\ndata: plain text\n\n",
    ),
  );
  const found = await all(client.watchRun({ runId: "r/1", lastEventId: "6" }));
  expect(found.map(({ id, change }) => [id, change.case, change.value])).toMatchObject([
    ["7", "step", { name: "a", tokens: 2n }],
    ["7", "note", "plain text"],
  ]);
  expect(seen.map(({ line, headers }) => [line, headers])).toEqual([
    ["GET /v1/runs/r%2F1/events", ["assistant-version: 2026-01-01", "last-event-id: 6", "x-api-key: secret"]],
  ]);
});

test("data for a string field is kept as text, even if it looks like JSON", async () => {
  const { client, differences } = await assistant(
    events('data: {"a": 1}\n\n', "data: 42\n\n", "data: a\ndata\ndata: b\n\n"),
  );
  expect((await all(client.watchLog({ runId: "1" }))).map(({ text }) => text)).toEqual([
    '{"a": 1}',
    "42",
    "a\n\nb",
  ]);
  expect(differences).toEqual([]);
});

test("a record above the response size limit is rejected, whether it has one line or several", async () => {
  const piece = "x".repeat(600);
  for (const pieces of [
    [`data: ${piece}`, piece],
    [`data: ${piece}\n`, `data: ${piece}\n`],
  ]) {
    const { client } = await assistant(events(...pieces), {
      upstream: { maxResponseBytes: 1000 },
    });
    const error = await failureOf(all(client.watchLog({ runId: "1" })));
    expect(error.message).toBe("[resource_exhausted] upstream assistant: a record exceeds 1000 bytes");
  }
});

/** Returns an upstream whose response the test controls. */
function held(): { readonly answer: Answer; readonly response: Promise<ServerResponse> } {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const answer = {
    ...events(),
    write: (response: ServerResponse) => {
      response.flushHeaders();
      resolve(response);
    },
  };
  return { answer, response: promise };
}

test("an event reaches the caller before the next one arrives, and cancelling ends the request", async () => {
  const { answer, response } = held();
  const { client } = await assistant(answer);
  const left = new AbortController();
  const run = client.watchRun({ runId: "1" }, { signal: left.signal })[Symbol.asyncIterator]();
  const first = run.next();
  const upstream = await response;
  upstream.write("event: note\ndata: one\n\n");
  expect((await first).value?.change.value).toBe("one");
  const second = failureOf(run.next());
  const closed = once(upstream, "close");
  left.abort();
  expect((await second).code).toBe(Code.Canceled);
  await closed;
});

test("a caller that stops reading applies backpressure to the upstream", async () => {
  let written = 0;
  const { client } = await assistant({
    ...events(),
    write: async (response) => {
      const note = `event: note\ndata: ${"x".repeat(64 * 1024)}\n\n`;
      for (let blocked = 0; blocked < 20 && written < 2000; ) {
        written++;
        blocked = response.write(note) ? 0 : blocked + 1;
        await setImmediate();
      }
    },
  });
  const run = client.watchRun({ runId: "1" })[Symbol.asyncIterator]();
  await run.next();
  for (let turns = 0; turns < 200; turns++) await setImmediate();
  expect(written).toBeLessThan(1000);
  await run.return?.();
});

test("a stream may outlive the deadline of unary calls", async () => {
  const clock = new FakeClock();
  const { answer, response } = held();
  const { client } = await assistant(answer, { clock });
  const run = client.watchRun({ runId: "1" })[Symbol.asyncIterator]();
  const first = run.next();
  const upstream = await response;
  clock.advance(10 * 60_000);
  upstream.write("event: note\ndata: late\n\n");
  expect((await first).value?.change.value).toBe("late");
  upstream.end();
});

test("a body that pauses for longer than bodyTimeoutMs fails with UPSTREAM_TIMEOUT", async () => {
  const { answer, response } = held();
  const { client } = await assistant(answer, { upstream: { bodyTimeoutMs: 1 } });
  const error = await failureOf(all(client.watchRun({ runId: "1" })));
  await response;
  expect(reasonOf(error)).toBe("UPSTREAM_TIMEOUT");
});
