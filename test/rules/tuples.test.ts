import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Mixed, type Reading, TupleService, TuplesSchema } from "../gen/rules/v1/tuples_pb.ts";
import { TupleServiceRest } from "../gen/rules/v1/tuples_rest.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";
import { type Answers, start } from "./world.ts";

const tuples = (answers: Answers = ({ text }) => ({ body: text }), strict = true) =>
  start(TupleService, TupleServiceRest, answers, { strict });

type Tuples = MessageInitShape<typeof TuplesSchema>;

const CASES: ReadonlyArray<readonly [what: string, message: Tuples, wire: unknown]> = [
  [
    "an optional item",
    {
      path: [
        { longitude: 12.5, latitude: 41.9, altitude: 21 },
        { longitude: 0, latitude: 41.9 },
      ],
    },
    {
      path: [
        [12.5, 41.9, 21],
        [0, 41.9],
      ],
    },
  ],
  [
    "null before the last item",
    { readings: [{ remark: "broken" }, {}] },
    { readings: [[null, null, "broken"], []] },
  ],
  ["a map of tuples", { named: { a: { longitude: 1 } } }, { named: { a: [1, 0] } }],
  ["lists of lists of tuples", { paths: [{ points: [{}] }, {}] }, { paths: [[[0, 0]], []] }],
  ["a union of a tuple and a text", { spot: { spot: { case: "point", value: {} } } }, { spot: [0, 0] }],
  ["the text of a union", { spot: { spot: { case: "name", value: "Rome" } } }, { spot: "Rome" }],
  [
    "further items",
    { sheet: { head: { title: "a", page: 1 }, rows: [{ value: 1.5 }, { time: 5n }] } },
    { sheet: [{ title: "a", page: 1 }, [null, 1.5], ["5"]] },
  ],
  ["further items without the items before", { sheet: { rows: [{}] } }, { sheet: [null, []] }],
  ["items that are required", { fixed: {} }, { fixed: [null, null, []] }],
  ["JSON as text", { text: { longitude: 1, altitude: 2 } }, { text: "[1,0,2]" }],
  [
    "values without presence, and a tuple in a tuple",
    { mixed: { inner: { unit: 1, note: "" }, points: { points: [] } } },
    {
      mixed: [
        null, null, "0", null, "", [], {}, null, null, null,
        ["m", null, "0", "", ""],
        [],
      ],
    },
  ], // biome-ignore format: a table
  [
    "empty lists and maps before further items",
    { mixed: { value: { kind: { case: "nullValue", value: 0 } }, further: [7n] } },
    { mixed: [null, null, "0", null, "", [], {}, null, null, null, null, null, null, "", null, "7"] },
  ],
];

test.each(CASES)("a tuple is an array, in requests and in responses: %s", async (_what, message, wire) => {
  const { client, seen, differences } = await tuples();
  expect(await client.echoTuples(message)).toEqual(create(TuplesSchema, message));
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual(wire);
  expect(differences).toEqual([]);
});

const plainText = fc.stringMatching(/^[a-z]{1,5}$/);
const OVERRIDES = {
  "rules.v1.Mixed.codes": fc.array(plainText, { maxLength: 3 }),
  "rules.v1.Mixed.time": fc.record({ seconds: fc.bigInt(0n, 253_402_300_799n) }),
  "rules.v1.Spot.name": plainText,
};

/** Returns a message as a request writes it: null stands for a Value that is unset before a set item. */
function asWritten(mixed: Mixed | undefined): void {
  if (mixed === undefined) return;
  if (mixed.further.length > 0) {
    mixed.value ??= create(ValueSchema, { kind: { case: "nullValue", value: 0 } });
  }
  asWritten(mixed.inner);
}

test("property: a message survives a round trip", async () => {
  const message = arbitraryMessage(TuplesSchema, OVERRIDES, 5, ({ kind }) => kind === "oneof");
  const { client, differences } = await tuples();
  await fc.assert(
    fc.asyncProperty(message, async (sent) => {
      const read = await client.echoTuples(sent);
      asWritten(sent.mixed);
      expect(read).toEqual(sent);
    }),
    { numRuns: 300 },
  );
  expect(differences).toEqual([]);
});

const READ: ReadonlyArray<readonly [body: string, message: Tuples, differences: readonly string[]]> = [
  ['{"point":[1]}', { point: { longitude: 1 } }, []],
  ['{"point":[]}', { point: {} }, []],
  ['{"point":[null,2,null]}', { point: { latitude: 2 } }, []],
  ['{"point":null}', {}, []],
  ['{"point":[1,2,3,4,[5]]}', { point: { longitude: 1, latitude: 2, altitude: 3 } }, ["additional point[3]", "additional point[4]"]],
  ['{"point":[1,"north"]}', { point: { longitude: 1 } }, ["lost point[1]"]],
  ['{"point":["1",2]}', { point: { longitude: 1, latitude: 2 } }, ["converted point[0]"]],
  ['{"loose":["1",2]}', { loose: { longitude: 1, latitude: 2 } }, ["converted loose[0]"]],
  ['{"point":{"longitude":1}}', {}, ["lost point"]],
  ['{"point":5}', {}, ["lost point"]],
  ['{"point":""}', {}, ["converted point"]],
  ['{"loose":""}', {}, []],
  ['{"path":[1,2]}', {}, ["lost path[0]", "lost path[1]"]],
  ['{"path":[[1],null,{}]}', { path: [{ longitude: 1 }, {}] }, ["lost path[1]", "converted path[2]"]],
  ['{"named":{"a":[1],"b":7}}', { named: { a: { longitude: 1 } } }, ["lost named.b"]],
  ['{"sheet":[{"title":"a","zz":1},[1],null,[2,"x"]]}', { sheet: { head: { title: "a" }, rows: [{ time: 1n }, { time: 2n }] } }, ["additional sheet[0].zz", "lost sheet[2]", "lost sheet[3][1]"]],
  ['{"mixed":["yard","ft",735000000000051460]}', { mixed: { otherUnit: 2, id: 735000000000051460n } }, ["lost mixed[0]"]],
]; // biome-ignore format: a table

test.each(READ)("a response is read as described: %s", async (body, message, expected) => {
  const { client, differences } = await tuples({ body }, false);
  expect(await client.echoTuples({})).toEqual(create(TuplesSchema, message));
  expect(differences.map((each) => `${each.class} ${each.path}`)).toEqual(expected);
});

/** The places for a tuple. Each function serves a value in its place, and returns the items read. */
const PLACES: Readonly<Record<string, (value: unknown) => Promise<readonly unknown[] | string | undefined>>> =
  {
    payload: (value) => read(value, (client) => client.echoReading({})),
    "response body": (value) => read(value, async (client) => (await client.getReadingBody({})).reading),
    "item of a page": (value) => read([value], (client) => first(client.listReadings({}))),
    record: (value) => read([value], (client) => first(client.watchReadings({}))),
  };

type Client = Awaited<ReturnType<typeof tuples>>["client"];

async function read(body: unknown, call: (client: Client) => Promise<Reading | undefined>) {
  const { client } = await tuples({ json: body });
  try {
    const reading = await call(client);
    return reading && [reading.time, reading.value, reading.remark];
  } catch (error) {
    return reasonOf(ConnectError.from(error));
  }
}

async function first(readings: AsyncIterable<Reading>): Promise<Reading | undefined> {
  const found: Reading[] = [];
  for await (const reading of readings) found.push(reading);
  return found[0];
}

test.each(Object.entries(PLACES))(
  "a whole response, a page and a record may be tuples: %s",
  async (_place, act) => {
    expect(await act([5, 1.5, "a"])).toEqual([5n, 1.5, "a"]);
    expect(await act([null, 1.5])).toEqual([undefined, 1.5, undefined]);
    expect(await act([])).toEqual([undefined, undefined, undefined]);
  },
);

test.each(Object.entries(PLACES))(
  "another value in place of a tuple fails a strict call: %s",
  async (place, act) => {
    expect(await act({ time: 5 })).toBe(place === "payload" ? "RESPONSE_SHAPE" : "RESPONSE_DRIFT");
    expect(await act("text")).toBe(place === "payload" ? "RESPONSE_SHAPE" : "RESPONSE_DRIFT");
  },
);

test("a tuple is a whole request body", async () => {
  const { client, seen } = await tuples();
  expect(await client.echoReading({ reading: { time: 5n, remark: "a" } })).toMatchObject({
    time: 5n,
    remark: "a",
  });
  expect(seen[0]?.text).toBe('["5",null,"a"]');
});
