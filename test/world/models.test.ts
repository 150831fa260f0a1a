import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { Code, type ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { ModelService } from "../gen/world/v1/models_pb.ts";
import { ModelServiceRest } from "../gen/world/v1/models_rest.ts";
import { type Answer, type Answers, type Settings, start } from "../rules/world.ts";

const models = (answers?: Answers, settings?: Settings) =>
  start(ModelService, ModelServiceRest, answers, {
    ...settings,
    upstream: { retry: false, ...settings?.upstream },
  });

/** Returns a JSON body, one chunk per argument. */
const pieces = (...parts: ReadonlyArray<string | Uint8Array>): Answer => ({
  headers: { "content-type": "application/json; charset=UTF-8" },
  write: (response) => {
    for (const part of parts) response.write(part);
    response.end();
  },
});

/** Returns the messages of a stream, and the error that ended it. */
async function readAll<T>(messages: AsyncIterable<T>) {
  const found: T[] = [];
  const error = await (async () => {
    for await (const message of messages) found.push(message);
  })().catch((thrown: ConnectError) => thrown);
  return { found, error };
}

test("without a stream rule, the messages are the items of one array, however it is chunked", async () => {
  const text =
    '\ufeff[{\n  "text": "é, ]\\"[",\n  "tokens": "9007199254740993"\n}\n,\r\n{"tokens": 9007199254740995}\n]\n';
  const bytes = Buffer.from(text);
  for (const parts of [[bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))]) {
    const { client, seen, differences } = await models(pieces(...parts));
    const { found, error } = await readAll(client.streamGenerate({ model: "models/m", prompt: "p" }));
    expect(error).toBeUndefined();
    expect(found.map(({ text, tokens }) => [text, tokens])).toEqual([
      ['é, ]"[', 9007199254740993n],
      ["", 9007199254740995n],
    ]);
    expect(seen.map(({ line, text }) => [line, text])).toEqual([
      ["POST /v1/models/m:streamGenerate", '{"prompt":"p"}'],
    ]);
    expect(seen[0]?.allHeaders).toContain("accept: application/json");
    expect(differences).toEqual([]);
  }
});

test("an empty array and a response without content are streams without messages", async () => {
  for (const answer of [pieces(" [ ] "), { status: 204 }]) {
    const { client } = await models(answer);
    expect(await readAll(client.exportRows({ table: "t" }))).toEqual({ found: [], error: undefined });
  }
});

test("without a stream rule, a stream of google.api.HttpBody contains the unchanged body", async () => {
  const { client } = await models({ body: "data: 1\n\n", headers: { "content-type": "text/event-stream" } });
  const { found, error } = await readAll(client.streamRawPredict({ model: "models/m" }));
  expect(error).toBeUndefined();
  expect(found.map(({ contentType, data }) => [contentType, Buffer.from(data).toString()])).toEqual([
    ["text/event-stream", "data: 1\n\n"],
  ]);
});

const QUOTA = { error: { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED" } };

test("an error item ends the stream with that error, after the earlier messages", async () => {
  const { client } = await models(pieces(`[{"text":"a"},${JSON.stringify(QUOTA)}]`));
  const { found, error } = await readAll(client.streamGenerate({ model: "models/m" }));
  expect(found.map(({ text }) => text)).toEqual(["a"]);
  expect(error).toMatchObject({
    code: Code.ResourceExhausted,
    rawMessage: "upstream models responded with 429 Too Many Requests: Quota exceeded",
  });
});

test("an error instead of the array, or as its only item, is the error of the call, for any status", async () => {
  for (const body of [[QUOTA], QUOTA]) {
    for (const status of [200, 429]) {
      const { client } = await models({ status, json: body });
      const { found, error } = await readAll(client.streamGenerate({ model: "models/m" }));
      expect(found).toEqual([]);
      expect(error).toMatchObject({
        code: Code.ResourceExhausted,
        rawMessage: "upstream models responded with 429 Too Many Requests: Quota exceeded",
      });
    }
  }
});

test("an error_bodies rule finds errors among the items", async () => {
  const { client } = await models(pieces('[{"id":1},{"fault":{"message":"gone"}},{"id":2}]'));
  const { found, error } = await readAll(client.exportRows({ table: "t" }));
  expect(found.map(({ id }) => id)).toEqual([1n]);
  expect([error?.code, reasonOf(error as ConnectError)]).toEqual([Code.Aborted, "EXPORT_FAILED"]);
});

test("a declared `error` field is read as a field", async () => {
  const { client } = await models({ json: [QUOTA] });
  const { found, error } = await readAll(client.listJobs({}));
  expect(error).toBeUndefined();
  expect(found[0]?.error).toMatchObject({ code: 429, status: "RESOURCE_EXHAUSTED" });
});

test.each<[string, number, Code, string, string]>([
  ["", 0, Code.Unavailable, "UPSTREAM_TRUNCATED", ""],
  ['[{"id":1}', 1, Code.Unavailable, "UPSTREAM_TRUNCATED", ""],
  ['[{"id":1},', 1, Code.Unavailable, "UPSTREAM_TRUNCATED", ""],
  ['[{"id":1},{"na', 1, Code.Unavailable, "UPSTREAM_TRUNCATED", ""],
  ['[{"id":1}]x', 1, Code.Internal, "UPSTREAM_BODY_NOT_JSON", "something behind an array of 1 items"],
  [
    '[{"id":1}{"id":2}]',
    1,
    Code.Internal,
    "UPSTREAM_BODY_NOT_JSON",
    "an array with an item without a comma in front of it (behind 1 items)",
  ],
  ['[{"id":1},{id:2}]', 1, Code.Internal, "UPSTREAM_BODY_NOT_JSON", "a record that is none (6 characters)"],
  [
    '{"items":[]}',
    0,
    Code.Internal,
    "UPSTREAM_BODY_NOT_ARRAY",
    "an object (application/json; charset=UTF-8)",
  ],
  ["<html>", 0, Code.Internal, "UPSTREAM_BODY_NOT_ARRAY", "application/json; charset=UTF-8"],
])("%j gives %i messages and an error", async (body, count, code, reason, got) => {
  const { client } = await models(pieces(body));
  const { found, error } = await readAll(client.exportRows({ table: "t" }));
  expect(found.length).toBe(count);
  expect(error).toMatchObject({ code });
  expect(reasonOf(error as ConnectError)).toBe(reason);
  expect(error?.message).toContain(got);
});

test("an item above the response size limit is rejected after the earlier items, but the array may be larger", async () => {
  const item = JSON.stringify({ name: "x".repeat(400) });
  const upstream = { maxResponseBytes: 500 };
  const many = await models(pieces(`[${Array(20).fill(item).join()}]`), { upstream });
  expect((await readAll(many.client.exportRows({ table: "t" }))).found.length).toBe(20);
  const large = await models(pieces(`[${item},{"name":"${"x".repeat(600)}"}]`), { upstream });
  const { found, error } = await readAll(large.client.exportRows({ table: "t" }));
  expect([found.length, error?.message]).toEqual([
    1,
    "[resource_exhausted] upstream models: a record exceeds 500 bytes",
  ]);
});

test("an array above the download size limit is rejected, with or without items", async () => {
  for (const filling of [Array(200).fill('{"id":1}').join(), " ".repeat(2000)]) {
    const { client } = await models(pieces(`[${filling}]`), { upstream: { maxDownloadBytes: 1000 } });
    expect(reasonOf((await readAll(client.exportRows({ table: "t" }))).error as ConnectError)).toBe(
      "UPSTREAM_BODY_TOO_LARGE",
    );
  }
});

test("an unknown value may have any nesting depth", async () => {
  const nested = `${'{"error":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  const { client } = await models(pieces(`[${nested},{"name":"next"}]`));
  const { found, error } = await readAll(client.listJobs({}));
  expect([found.map(({ name }) => name), error]).toEqual([["", "next"], undefined]);
});

test("items that are not objects are omitted and reported", async () => {
  const { client, differences } = await models({ json: [7, { id: "1" }, [2]] }, { strict: false });
  expect((await readAll(client.exportRows({ table: "t" }))).found.length).toBe(1);
  expect(differences.map(({ path, got }) => [path, got])).toEqual([
    ["[0]", "number 7"],
    ["[2]", "array"],
  ]);
});

test("a body in another charset is decoded before it is split, since its characters may contain the byte of a bracket", async () => {
  // In Shift_JIS, ソ ends with the byte of a backslash. In UTF-16, every second byte of ASCII text is 0.
  const utf16 = Buffer.from('[{"name":"嬀[ソ"}]', "utf16le");
  const shiftJis = Buffer.concat([Buffer.from('[{"name":"'), Buffer.of(0x83, 0x5c), Buffer.from('"}]')]);
  for (const [charset, body, name] of [
    ["utf-16le", utf16, "嬀[ソ"],
    ["shift_jis", shiftJis, "ソ"],
  ] as const) {
    const parts = Array.from(body, (byte) => Uint8Array.of(byte));
    const { client } = await models({
      ...pieces(...parts),
      headers: { "content-type": `application/json; charset=${charset}` },
    });
    const { found, error } = await readAll(client.exportRows({ table: "t" }));
    expect([found.map((row) => row.name), error]).toEqual([[name], undefined]);
  }
});

/** Returns an upstream whose response the test controls. */
function held(): { readonly answer: Answer; readonly response: Promise<ServerResponse> } {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const answer = {
    ...pieces(),
    write: (response: ServerResponse) => {
      response.flushHeaders();
      resolve(response);
    },
  };
  return { answer, response: promise };
}

test("an item reaches the caller before the next one arrives, and cancelling ends the request", async () => {
  const { answer, response } = held();
  const { client } = await models(answer);
  const left = new AbortController();
  const rows = client.exportRows({ table: "t" }, { signal: left.signal })[Symbol.asyncIterator]();
  const first = rows.next();
  const upstream = await response;
  upstream.write('[{"name":"one"}');
  expect((await first).value?.name).toBe("one");
  const second = failureOf(rows.next());
  const closed = once(upstream, "close");
  left.abort();
  expect((await second).code).toBe(Code.Canceled);
  await closed;
});

test("a caller that stops reading applies backpressure to the upstream", async () => {
  let written = 0;
  const { client } = await models({
    ...pieces(),
    write: async (response) => {
      const row = `{"name":"${"x".repeat(64 * 1024)}"}`;
      for (let blocked = 0; blocked < 20 && written < 2000; ) {
        blocked = response.write(written++ === 0 ? `[${row}` : `,${row}`) ? 0 : blocked + 1;
        await setImmediate();
      }
    },
  });
  const left = new AbortController();
  const rows = client.exportRows({ table: "t" }, { signal: left.signal })[Symbol.asyncIterator]();
  await rows.next();
  for (let turns = 0; turns < 200; turns++) await setImmediate();
  expect(written).toBeLessThan(1000);
  left.abort();
});

test("property: whitespace and chunk boundaries do not change the messages", async () => {
  const row = fc.record({
    id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    name: fc.string({ unit: "binary" }),
  });
  const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
  const cuts = fc.array(fc.nat(), { maxLength: 10 });
  let answer: Answer = {};
  const { client, differences } = await models(() => answer);
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 6 }), space, cuts, async (rows, gap, places) => {
      const items = rows.map(
        ({ id, name }) => `${gap}{"id":${gap}${id},"name":${JSON.stringify(name)}}${gap}`,
      );
      const bytes = Buffer.from(`${gap}[${items.join(",")}]${gap}`);
      const at = [0, ...places.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      answer = pieces(...at.slice(0, -1).map((from, index) => bytes.subarray(from, at[index + 1])));
      const { found, error } = await readAll(client.exportRows({ table: "t" }));
      expect(error).toBeUndefined();
      expect(found.map(({ id, name }) => ({ id, name }))).toEqual(
        rows.map(({ id, name }) => ({ id, name: name.toWellFormed() })),
      );
    }),
    { numRuns: 60 },
  );
  expect(differences).toEqual([]);
});
