import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { AssistantService } from "../gen/world/v1/assistant_pb.ts";
import { AssistantServiceRest } from "../gen/world/v1/assistant_rest.ts";
import { HabitService } from "../gen/world/v1/habits_pb.ts";
import { HabitServiceRest } from "../gen/world/v1/habits_rest.ts";
import { ModelService } from "../gen/world/v1/models_pb.ts";
import { ModelServiceRest } from "../gen/world/v1/models_rest.ts";
import { type Settings, start } from "../rules/world.ts";

/** A format of records: its body, and a function that reads it. */
interface Format {
  readonly type: string;
  readonly body: (records: readonly Buffer[]) => readonly Buffer[];
  readonly read: (body: Buffer, type: string, settings: Settings) => Promise<Read>;
}

interface Read {
  readonly items: AsyncIterable<unknown>;
  readonly differences: ReadonlyArray<{
    readonly path: string;
    readonly class: string;
    readonly expected: string;
  }>;
}

const answer = (body: Buffer, type: string) => ({ body, headers: { "content-type": type } });
const LF = Buffer.from("\n");

/** Yields the changes without the last line. */
async function* withoutLast(changes: AsyncIterable<{ readonly lastSeq: string }>) {
  for await (const change of changes) if (change.lastSeq !== "z") yield change;
}

const FORMATS: Readonly<Record<string, Format>> = {
  LINES: {
    type: "application/x-ndjson",
    body: (records) => [...records.flatMap((record) => [record, LF]), Buffer.from('{"last_seq":"z"}\n')],
    read: async (body, type, settings) => {
      const { client, differences } = await start(
        HabitService,
        HabitServiceRest,
        answer(body, type),
        settings,
      );
      return { items: withoutLast(client.watchChanges({})), differences };
    },
  },
  ARRAY: {
    type: "application/json",
    body: (records) => [
      Buffer.from("["),
      ...records.flatMap((record, index) => [Buffer.from(index === 0 ? "" : ","), record]),
      Buffer.from("]"),
    ],
    read: async (body, type, settings) => {
      const { client, differences } = await start(
        ModelService,
        ModelServiceRest,
        answer(body, type),
        settings,
      );
      return { items: client.exportRows({ table: "t" }), differences };
    },
  },
  EVENT_STREAM: {
    type: "text/event-stream",
    body: (records) => [
      ...records.flatMap((record) => [Buffer.from("data: "), record, LF, LF]),
      Buffer.from("data: [DONE]\n\n"),
    ],
    read: async (body, type, settings) => {
      const { client, differences } = await start(
        AssistantService,
        AssistantServiceRest,
        answer(body, type),
        { ...settings, upstream: { credentials: { apiKey: "secret" } } },
      );
      return { items: client.streamCompletion({}), differences };
    },
  },
};

async function readAll(name: string, records: ReadonlyArray<string | Buffer>, settings: Settings = {}) {
  const { type, body, read } = FORMATS[name] as Format;
  const bytes = Buffer.concat(body(records.map((record) => Buffer.from(record as string))));
  const { items, differences } = await read(bytes, type, settings);
  const found: unknown[] = [];
  try {
    for await (const item of items) found.push(item);
    return { found, differences, error: undefined };
  } catch (error) {
    return { found, differences, error: ConnectError.from(error) };
  }
}

const EACH = Object.keys(FORMATS);

test.each(EACH)("%s: bytes that are not UTF-8 are reported with their record", async (format) => {
  const bad = Buffer.concat([Buffer.from('{"name":"a'), Buffer.of(0xff), Buffer.from('"}')]);
  const { found, differences, error } = await readAll(format, ['{"name":"\ufffd"}', bad, "{}"], {
    strict: false,
  });
  expect([found.length, error?.message]).toEqual([3, undefined]);
  expect(differences.filter((each) => each.expected === "UTF-8")).toMatchObject([
    { path: "[1]", class: "lost" },
  ]);
  const strict = await readAll(format, ["{}", bad], { strict: true });
  expect(strict.error && reasonOf(strict.error)).toBe("RESPONSE_DRIFT");
});

test.each(EACH)("%s: a key with the name of an inherited property is an ordinary key", async (format) => {
  const { differences, error } = await readAll(format, [
    '{"__proto__":{"name":"evil"},"constructor":{"prototype":{}},"toString":1}',
  ]);
  expect(error?.message).toBeUndefined();
  const paths = differences.map(({ path }) => path.replace(/^\[0\]\.?/, ""));
  expect(paths).toEqual(["__proto__", "constructor", "toString"]);
});

test.each(
  EACH.flatMap((format) =>
    [
      { error: { code: 5, message: "gone" } },
      { error: { code: 5, message: "gone", details: [] } },
      { error: { code: 404, message: "gone" } },
      { error: { code: 404, message: "gone", status: "NOT_FOUND" } },
      { error: { message: "gone" } },
      { error: "gone" },
    ].map((record) => [format, JSON.stringify(record)] as const),
  ),
)("%s: a record that contains only an error ends the stream with that error: %s", async (format, record) => {
  const { found, error } = await readAll(format, ["{}", record]);
  expect(found).toHaveLength(1);
  expect(error?.rawMessage).toContain("gone");
});

// In the other formats, a rule turns a record with an error into an error.
test.each(["LINES", "ARRAY"])(
  "%s: a record that contains an error among other keys is an ordinary record",
  async (format) => {
    const { found, error } = await readAll(format, ['{"error":{"code":5},"name":"a"}', '{"error":null}']);
    expect([found.length, error?.message]).toEqual([2, undefined]);
  },
);
