import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { createRest } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { httpUpstream } from "../testing/servers.ts";
import { type ThingVariant, thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import type { UpstreamOptions } from "../upstream/options.ts";
import { openRecording, type RecordingOptions } from "./recorder.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-recorder-"));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
const WITH_KEY: ThingVariant = { rules: { credentials: ["api_key"], apiKey: { header: "x-key" } } };
const KEY = "s3cret-key-0123456789";

interface Entry {
  readonly response: {
    readonly status: number;
    readonly content: { readonly size: number; readonly text?: string; readonly comment?: string };
  };
}

const entriesIn = (file: string): readonly Entry[] =>
  (JSON.parse(readFileSync(file, "utf8")) as { log: { entries: readonly Entry[] } }).log.entries;

/** Sends a call for each response, one after the other, and returns the recording. */
async function recordedOf(
  responses: readonly Response[],
  options: Partial<RecordingOptions> = {},
  upstream: Partial<UpstreamOptions> = {},
) {
  const file = options.file ?? path.join(directory, `${files++}.har`);
  const problems: string[] = [];
  const recording = await openRecording({ file, onProblem: (text) => problems.push(text), ...options });
  const left = [...responses];
  const rest = createRest({
    adapters: [thingService(WITH_KEY)],
    recorder: recording,
    upstreams: {
      things: {
        baseUrl: "https://api.example/v1",
        retry: false,
        breaker: false,
        credentials: { apiKey: KEY },
        fetch: async () => left.shift() ?? new Response("{}"),
        ...upstream,
      },
    },
  });
  for (const _ of responses) {
    await rest.call(thingAdapter(WITH_KEY), thingRequest({ name: "a" })).catch(() => undefined);
  }
  await rest.close();
  await recording.close();
  return { file, problems, entries: entriesIn(file), dropped: recording.dropped };
}

const json = (value: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json" }, ...init });

test("a file is a complete document after each entry, and ends with its close", async () => {
  const { file, entries } = await recordedOf([json({ name: "a" }), json({ name: "b" })]);
  expect(entries.map(({ response }) => response.content.text)).toEqual(['{"name":"a"}', '{"name":"b"}']);
  expect(readFileSync(file, "utf8").endsWith("\n]}}\n")).toBe(true);
});

test("an existing file and full files are renamed, and the oldest file is deleted", async () => {
  const file = path.join(directory, "rotated.har");
  writeFileSync(file, "old");
  const responses = Array.from({ length: 5 }, (_, at) => json({ name: `n${at}` }));
  await recordedOf(responses, { file, maxFileBytes: 1, maxFiles: 3 });
  const names = [file, `${file}.1`, `${file}.2`].map((each) =>
    entriesIn(each).map(({ response }) => response.content.text),
  );
  expect(names).toEqual([['{"name":"n4"}'], ['{"name":"n3"}'], ['{"name":"n2"}']]);
  expect(existsSync(`${file}.3`)).toBe(false);
});

test.each<[string, Partial<RecordingOptions>, readonly number[]]>([
  ["all", {}, [200, 200, 404, 503]],
  ["statuses and classes of statuses", { statuses: [404, "5xx"] }, [404, 503]],
  ["only responses with differences or errors", { onlyDifferences: true }, [200, 404, 503]],
  ["no share of the calls", { share: 0 }, []],
  ["methods that match", { methods: ["*"] }, [200, 200, 404, 503]],
  ["no methods that do not match", { methods: ["other.v1.OtherService"] }, []],
])("the recorded responses: %s", async (_, options, statuses) => {
  const responses = [
    json({ name: "a" }),
    json({ name: 5 }),
    json({ message: "no" }, { status: 404 }),
    json({}, { status: 503 }),
  ];
  const { entries, problems } = await recordedOf(responses, options);
  expect(entries.map(({ response }) => response.status)).toEqual(statuses);
  expect(problems).toEqual([]);
});

test("a compressed body is recorded decompressed", async () => {
  await using upstream = await httpUpstream((_, response) => {
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    response.writeHead(200, headers).end(gzipSync('{"name":"zipped"}'));
  });
  const { entries } = await recordedOf([json({})], {}, { baseUrl: upstream.url, fetch: undefined });
  expect(entries[0]?.response.content).toMatchObject({ size: 17, text: '{"name":"zipped"}' });
});

test.each<[string, () => Response]>([
  ["larger than the limit", () => json({ name: "x".repeat(2000) })],
  [
    "not JSON",
    () => new Response("<h1>down</h1>", { status: 502, headers: { "content-type": "text/html" } }),
  ],
  ["not UTF-8", () => new Response(Buffer.from([0xff, 0xfe, 0x01]), { status: 500 })],
  [
    "corrupt",
    () =>
      new Response("no gzip", {
        headers: { "content-type": "application/json", "content-encoding": "gzip" },
      }),
  ],
])("a body is omitted with a comment if it is %s", async (_, response) => {
  const { entries } = await recordedOf([response()], { maxBodyBytes: 1000 });
  expect(entries[0]?.response.content).toMatchObject({ comment: expect.stringMatching(/^The body is /) });
  expect(entries[0]?.response.content).not.toHaveProperty("text");
});

test("credentials are replaced wherever an upstream repeats them, also with the option values", async () => {
  const responses = () => [
    json({ name: `key ${KEY}`, [KEY]: [KEY, { a: encodeURIComponent(KEY) }] }),
    json({ message: KEY }, { status: 401 }),
    new Response(`key ${KEY}`, { status: 500, headers: { location: `/x?${KEY}`, server: KEY } }),
  ];
  for (const values of [true, false]) {
    const { file, entries } = await recordedOf(responses(), { values });
    expect(entries).toHaveLength(3);
    expect(readFileSync(file, "utf8")).not.toContain(KEY);
  }
});

test("the numbers of a body keep their notation", async () => {
  const body = '{"name":"a","extra":{"id":9007199254740993,"price":1.10,"big":1e3}}';
  const response = () => new Response(body, { headers: { "content-type": "application/json" } });
  const { entries } = await recordedOf([response()], { values: true });
  expect(entries[0]?.response.content.text).toBe(body);
  const hidden = (await recordedOf([response()])).entries[0]?.response.content.text ?? "";
  expect(hidden.replace(/\d/g, "0")).toBe(body.replace(/\d/g, "0"));
  expect(hidden).not.toContain("9007199254740993");
});

test.each<[Partial<RecordingOptions> & Record<string, unknown>, RegExp]>([
  [{ file: "" }, /file/],
  [{ share: 2 }, /share/],
  [{ share: Number.NaN }, /share/],
  [{ maxFiles: 0 }, /maxFiles/],
  [{ maxBodyBytes: 2 ** 30 }, /maxBodyBytes/],
  [{ statuses: ["6xx"] }, /statuses/],
  [{ statuses: 404 as never }, /statuses/],
  [{ methods: "a" as never }, /methods/],
  [{ files: "a" }, /files/],
])("the options %j are rejected", async (options, text) => {
  const error = await failureOf(openRecording({ file: path.join(directory, "never.har"), ...options }));
  expect(reasonOf(error)).toBe("OPTION_INVALID");
  expect(error.message).toMatch(text);
  expect(existsSync(path.join(directory, "never.har"))).toBe(false);
});

test("a folder that does not exist is an error of the start", async () => {
  await expect(openRecording({ file: path.join(directory, "none/a.har") })).rejects.toThrow(/ENOENT/);
});

test("a full disk leaves a complete file with the earlier entries", () => {
  const file = path.join(directory, "full.har");
  const program = `
    const { HarFile } = await import(${JSON.stringify(path.join(import.meta.dirname, "har-file.ts"))});
    const file = new HarFile({ file: ${JSON.stringify(file)}, maxFileBytes: 1e9, maxFiles: 1 });
    await file.next();
    for (let at = 0; at < 100; at++) await file.append(JSON.stringify({ at, text: "x".repeat(900) }));`;
  const limited = 'ulimit -f 16; exec "$0" --input-type=module -e "$1"';
  const { stderr } = spawnSync("sh", ["-c", limited, process.execPath, program], { encoding: "utf8" });
  expect(stderr).toContain("EFBIG");
  expect(entriesIn(file).length).toBeGreaterThan(5);
});
