import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { AnswerService, Tone } from "../gen/rules/v1/answers_pb.ts";
import { AnswerServiceRest } from "../gen/rules/v1/answers_rest.ts";
import { type Answers, type Settings, start } from "./world.ts";

const answers = (answer?: Answers, settings?: Settings) =>
  start(AnswerService, AnswerServiceRest, answer, settings);
const TIME = timestampFromDate(new Date("2026-01-02T03:04:05.678Z"));
const WHOLE = timestampFromDate(new Date("2026-01-02T03:04:05Z"));

test("time: times in every unit are written and read", async () => {
  const { client, seen, differences } = await answers((request) => ({ body: request.text }));
  const times = { seconds: TIME, millis: TIME, micros: TIME, iso: TIME, formatted: WHOLE };
  const answer = await client.echoNotation(times);
  expect(seen[0]?.text).toBe(
    '{"seconds":1767323045.678,"millis":1767323045678,"micros":1767323045678000,' +
      '"iso":"2026-01-02T03:04:05.678Z","formatted":"02.01.2026 03:04:05"}',
  );
  expect(answer).toMatchObject(times);
  expect(differences).toEqual([]);
});

test("time: the value that is configured to mean no time leaves the field unset", async () => {
  const { client, differences } = await answers([{ json: { seconds: 0 } }, { json: { seconds: "0" } }]);
  expect((await client.echoNotation({})).seconds).toBeUndefined();
  expect((await client.echoNotation({})).seconds).toBeUndefined();
  expect(differences).toEqual([]);
});

test("bytes: RAW, BASE64URL and BASE64 are written and read", async () => {
  const { client, seen, differences } = await answers((request) => ({ body: request.text }));
  const data = Uint8Array.of(0xfb, 0xff, 0xfe, 1);
  const answer = await client.echoNotation({ raw: Buffer.from('ü"'), url: data, base64: data });
  expect(seen[0]?.text).toBe('{"raw":"ü\\"","url":"-__-AQ","base64":"+//+AQ=="}');
  expect(answer).toMatchObject({ raw: new Uint8Array(Buffer.from('ü"')), url: data, base64: data });
  expect(differences).toEqual([]);
});

test("unwrap: bare arrays, empty arrays and nested arrays are written and read", async () => {
  const { client, seen } = await answers((request) => ({ body: request.text }));
  const message = { row: { cells: [1n, 2n] }, rows: [{ cells: [3n] }, { cells: [] }], empty: { cells: [] } };
  const answer = await client.echoNotation(message);
  expect(seen[0]?.text).toBe('{"row":["1","2"],"rows":[["3"],[]],"empty":[]}');
  expect(answer).toMatchObject(message);
  expect((await client.echoNotation({})).empty).toBeUndefined();
});

test("wire, aliases and COMMA: enum values and lists are written and read in the upstream's notation", async () => {
  const { client, seen } = await answers(
    (request, index) =>
      index === 0 ? { body: request.text } : { json: { tones: "deep,12,low,shrill", tone: 12 } },
    { strict: false },
  );
  const message = { tones: [Tone.LOW, Tone.HIGH], tone: Tone.LOW };
  expect(await client.echoNotation(message)).toMatchObject(message);
  expect(seen[0]?.text).toBe('{"tones":"low,12","tone":"low"}');
  expect(await client.echoNotation({})).toMatchObject({
    tones: [Tone.LOW, Tone.HIGH, Tone.LOW],
    tone: Tone.HIGH,
  });
});

test("name and aliases: a field is written by its name, and read by its name and aliases in order", async () => {
  const { client, seen } = await answers([
    { json: { "new-name": "1", "old-name": "2" } },
    { json: { "older-name": "3", "old-name": "2" } },
    { json: { "older-name": "3" } },
    { json: { renamed: "4" } },
  ]);
  expect((await client.echoNotation({ renamed: "x" })).renamed).toBe("1");
  expect(seen[0]?.text).toBe('{"new-name":"x"}');
  expect((await client.echoNotation({})).renamed).toBe("2");
  expect((await client.echoNotation({})).renamed).toBe("3");
  expect((await client.echoNotation({})).renamed).toBe("");
});

test("from: fields are read from headers, a Link relation, the status, and the first matching path", async () => {
  const link = '<https://x.test/1>; rel="prev", <https://x.test/3?a=1,2>; rel="last next"';
  const { client } = await answers([
    { status: 203, headers: { etag: '"e"', link, "x-deep": "header" }, json: { data: { deep: "data" } } },
    { status: 304, headers: { etag: '"f"' } },
    { json: { meta: { deep: "meta" }, data: { deep: "data" } } },
    { json: { data: { deep: "data" } } },
  ]);
  expect(await client.getSources({})).toMatchObject({
    etag: '"e"',
    next: "https://x.test/3?a=1,2",
    status: 203,
    unchanged: false,
    deep: "header",
  });
  expect(await client.getSources({})).toMatchObject({ etag: '"f"', next: "", status: 304, unchanged: true });
  expect((await client.getSources({})).deep).toBe("meta");
  expect((await client.getSources({})).deep).toBe("data");
});

test("unknown: unknown keys are collected as values of a Struct and as raw JSON", async () => {
  const body =
    '{"count":1,"big":9007199254740993,"list":[1,{"a":null}],"inner":{"known":"k","x":1.50,"y":{"z":12345678901234567890}}}';
  const { client, differences } = await answers({ body });
  const { others, inner } = await client.getLoose({});
  expect(others).toEqual({ big: "9007199254740993", list: [1, { a: null }] });
  expect(inner).toMatchObject({ known: "k", others: { x: "1.50", y: '{"z":12345678901234567890}' } });
  expect(differences.map((each) => [each.class, each.path])).toEqual([["converted", "big"]]);
});

test("unknown: a request includes the collected keys, if there are any", async () => {
  const { client, seen } = await answers((request) => ({ body: request.text }));
  const others = { list: [1, { a: null }], count: "a declared field wins" };
  const echoed = await client.echoLoose({ count: 1n, others, inner: { known: "k", others: { x: "1.50" } } });
  expect(seen[0]?.text).toBe('{"count":"1","inner":{"known":"k","x":1.50},"list":[1,{"a":null}]}');
  expect(echoed).toMatchObject({ count: 1n, others: { list: [1, { a: null }] } });
  await client.echoLoose({ count: 2n, inner: {} });
  expect(seen[1]?.text).toBe('{"count":"2","inner":{}}');
});

test("coerce: values of another JSON type are converted without a difference", async () => {
  const { client, differences } = await answers({ json: { count: "7", strict_count: 8 } });
  expect(await client.getLoose({})).toMatchObject({ count: 7n, strictCount: 8n });
  expect(differences).toEqual([]);
  const other = await answers({ json: { strict_count: true } }, { strict: false });
  await other.client.getLoose({});
  expect(other.differences).toEqual([expect.objectContaining({ path: "strict_count" })]);
});

test.each([
  ["N/A", undefined],
  [7, 7],
  ["8", 8],
  [0, 0],
])("absent: the score %j is read as %j", async (score, read) => {
  const { client, differences } = await answers({ json: { strict_count: 1, score } });
  expect((await client.getLoose({})).score).toBe(read);
  expect(differences.map(({ class: kind }) => kind)).toEqual(score === "8" ? ["converted"] : []);
});

test("absent: any other string is reported as lost", async () => {
  const { client, differences } = await answers({ json: { score: "n/a" } }, { strict: false });
  expect((await client.getLoose({})).score).toBeUndefined();
  expect(differences).toEqual([expect.objectContaining({ path: "score", class: "lost" })]);
});

test("redact: the value is sent, but is not in errors", async () => {
  const { client, seen } = await answers();
  await client.getSources({ secret: "s 1" });
  expect(seen[0]?.line).toBe("GET /sources?secret=s%201");
  const error = await failureOf(client.getSources({ secret: "hidden\ud800" }));
  expect(error.message).not.toContain("hidden");
});

test("property: times in every unit survive a round trip", async () => {
  const { client } = await answers((request) => ({ body: request.text }));
  const date = fc.date({ min: new Date("1971-01-01"), max: new Date("2200-01-01"), noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(date, async (value) => {
      const time = timestampFromDate(value);
      const times = { seconds: time, millis: time, micros: time, iso: time };
      expect(await client.echoNotation(times)).toMatchObject(times);
    }),
    { numRuns: 50 },
  );
});
