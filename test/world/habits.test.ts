import { Code } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { retryDelayOf } from "../../runtime/src/errors/retry-info.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { HabitService } from "../gen/world/v1/habits_pb.ts";
import { HabitServiceRest } from "../gen/world/v1/habits_rest.ts";
import { type Answers, start } from "../rules/world.ts";

const habits = (answers: Answers) =>
  start(HabitService, HabitServiceRest, answers, {
    upstream: { credentials: { apiKey: "key" }, retry: false },
  });

test("the API key is in the query, and fields are read from nested objects and lists", async () => {
  const { client, seen, differences } = await habits({
    json: { main: { temp: "7.5" }, weather: [{ main: "Rain" }] },
  });
  expect(await client.getWeather({ city: "Bonn" })).toMatchObject({ temperature: 7.5, sky: "Rain" });
  expect(seen[0]?.line).toBe("GET /weather?q=Bonn&appid=key");
  expect(differences).toEqual([]);
});

test("null in a list of numbers is an item without a value", async () => {
  const { client, differences } = await habits({
    body: '{"main":{"temp":7.5},"weather":[],"rain_by_hour":[0.2,null,0]}',
  });
  const { rainByHour } = await client.getWeather({ city: "Bonn" });
  expect(rainByHour.map(({ value }) => value)).toEqual([0.2, undefined, 0]);
  expect(differences).toEqual([]);
});

test("a PATCH has its Content-Type and the version as If-Match", async () => {
  const { client, seen } = await habits([{ json: { id: "7" } }, { status: 412 }]);
  const thing = { id: 175928847299117063n, name: "a" };
  await client.patchThing({ id: "7", version: '"v1"', thing });
  expect(seen[0]?.headers).toEqual(["content-type: application/merge-patch+json", 'if-match: "v1"']);
  expect([seen[0]?.line, seen[0]?.text]).toEqual([
    "PATCH /things/7",
    '{"id":"175928847299117063","name":"a"}',
  ]);
  expect((await failureOf(client.patchThing({ id: "7", thing }))).code).toBe(Code.FailedPrecondition);
});

test("a 404 that a rule declares as success is read as a response", async () => {
  const { client } = await habits([
    { json: { _index: "i", found: true, _source: { id: "175928847299117063" } } },
    { status: 404, json: { _index: "i", found: false } },
  ]);
  const found = await client.findThing({ id: "1" });
  expect([found.missing, found.thing?.id]).toEqual([false, 175928847299117063n]);
  expect(await client.findThing({ id: "2" })).toMatchObject({ missing: true, index: "i" });
});

test("a response may be one object, a list of objects, or a string", async () => {
  const { client, differences } = await habits([
    { json: { id: 1 } },
    { json: [{ id: 1 }, { id: 2 }] },
    { json: "none" },
  ]);
  const results = [await client.lookUp({}), await client.lookUp({}), await client.lookUp({})];
  expect(results.map(({ result }) => result.case)).toEqual(["thing", "things", "text"]);
  expect(results[1]).toMatchObject({ result: { value: { things: [{ id: 1n }, { id: 2n }] } } });
  expect(differences).toEqual([]);
});

test("a feed of changes may contain empty lines, and ends after its last line", async () => {
  const { client, seen } = await habits([
    {
      body: '{"seq":"1-a","id":"x","changes":[]}\n\n\n{"seq":"2-b","id":"y","deleted":true}\n{"last_seq":"2-b"}\n',
    },
    { body: '{"seq":"1-a","id":"x"}\n' },
  ]);
  const found: string[] = [];
  for await (const { id, deleted, lastSeq } of client.watchChanges({ since: "0" })) {
    found.push(`${id}${deleted ? " deleted" : ""}${lastSeq}`);
  }
  expect(found).toEqual(["x", "y deleted", "2-b"]);
  expect(seen[0]?.line).toBe("GET /_changes?feed=continuous&heartbeat=10000&since=0");
  const changes = client.watchChanges({})[Symbol.asyncIterator]();
  await changes.next();
  expect(reasonOf(await failureOf(changes.next()))).toBe("UPSTREAM_TRUNCATED");
});

test("the response for an unfinished job has the status URL and the retry delay", async () => {
  const { client, differences } = await habits([
    { status: 202, json: {}, headers: { "operation-location": "/jobs/1", "retry-after": "5" } },
    { json: { result: "r" } },
  ]);
  expect(await client.startJob({})).toMatchObject({
    done: false,
    statusUrl: "/jobs/1",
    retryAfter: { seconds: 5n },
  });
  expect(await client.startJob({})).toMatchObject({ done: true, result: "r" });
  expect(differences).toEqual([]);
});

test("a request body can consist of JSON lines", async () => {
  const { client, seen } = await habits({ json: { errors: false } });
  await client.bulkThings({
    index: "i",
    refresh: true,
    lines: [
      { line: { case: "action", value: { index: { id: "1" } } } },
      { line: { case: "document", value: { id: 9007199254740993n, name: "a\nb" } } },
    ],
  });
  expect([seen[0]?.line, seen[0]?.headers]).toEqual([
    "POST /i/_bulk?refresh=true",
    ["content-type: application/x-ndjson"],
  ]);
  expect(seen[0]?.text).toBe('{"index":{"_id":"1"}}\n{"id":"9007199254740993","name":"a\\nb"}\n');
});

test("a file is sent as a part with a name and a type", async () => {
  const { client, seen } = await habits({ json: { id: "1" } });
  const file = { content: Buffer.from("{}\n"), filename: "a.jsonl", contentType: "application/jsonl" };
  await client.uploadFile({ purpose: "batch", file });
  expect(seen[0]?.text).toContain('form-data; name="purpose"\r\n\r\nbatch\r\n');
  expect(seen[0]?.text).toContain(
    'form-data; name="file"; filename="a.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n{}\n\r\n',
  );
});

test("a fractional retry delay is in the RetryInfo", async () => {
  const { client } = await habits({
    status: 429,
    headers: { "retry-after": "0.65" },
    json: { retry_after: 0.65 },
  });
  const error = await failureOf(client.findThing({ id: "1" }));
  expect([error.code, retryDelayOf(error)]).toEqual([Code.ResourceExhausted, 650]);
});

test("JSON is sent as a string in the query and in a header, and read from a string in the response", async () => {
  const { client, seen, differences } = await habits({
    json: { events: [{ id: "e1", details: '{"actor":175928847299117063,"price":1.50}' }, { id: "e2" }] },
  });
  const { events } = await client.listEvents({
    filters: { status: ["open", "a&b"], since: 9007199254740993n },
    tags: { ü: "\u{1f600}", a: "b,c" },
  });
  const query = new URLSearchParams(seen[0]?.line.split("?")[1]);
  expect(query.get("filters")).toBe('{"status":["open","a&b"],"since":"9007199254740993"}');
  expect(seen[0]?.headers).toEqual(['x-tags: {"\\u00fc":"\\ud83d\\ude00","a":"b,c"}']);
  expect(events).toMatchObject([
    { id: "e1", details: { actor: 175928847299117063n, others: { price: "1.50" } } },
    { id: "e2" },
  ]);
  expect(differences).toEqual([]);
});
