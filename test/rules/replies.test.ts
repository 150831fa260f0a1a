import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Reply, ReplyService } from "../gen/rules/v1/choices_pb.ts";
import { ReplyServiceRest } from "../gen/rules/v1/choices_rest.ts";
import { start } from "./world.ts";

const replies = (body: string) =>
  start(
    ReplyService,
    ReplyServiceRest,
    { body, headers: { "content-type": "application/json" } },
    { strict: false },
  );

/** Returns the JSON that a reply was read from; undefined for an empty reply. */
function jsonOf(reply: Reply | undefined): unknown {
  switch (reply?.reply.case) {
    case "one":
      return { id: reply.reply.value.id };
    case "many":
      return reply.reply.value.hits.map(({ id }) => ({ id }));
    case "text":
      return reply.reply.value;
    default:
      return undefined;
  }
}

/**
 * The places for a value of any JSON type. Each function serves a value in its place, and returns the result.
 */
const PLACES: Readonly<
  Record<string, (value: unknown) => Promise<{ found: unknown; paths: string[]; reason: string | undefined }>>
> = {
  payload: (value) => read(value, async ({ client }) => jsonOf(await client.getReply({}))),
  "response body": (value) =>
    read(value, async ({ client }) => jsonOf((await client.getReplyBody({})).reply)),
  field: (value) => read({ one: value }, async ({ client }) => jsonOf((await client.getReplies({})).one)),
  "item of a list": (value) =>
    read({ list: [value] }, async ({ client }) => jsonOf((await client.getReplies({})).list[0])),
  "value of a map": (value) =>
    read({ named: { a: value } }, async ({ client }) => jsonOf((await client.getReplies({})).named.a)),
  "item of a page": (value) => read([value], async ({ client }) => first(client.listReplies({}))),
  record: (value) => read([value], async ({ client }) => first(client.watchReplies({}))),
};

type World = Awaited<ReturnType<typeof replies>>;

async function read(body: unknown, act: (world: World) => Promise<unknown>) {
  const world = await replies(JSON.stringify(body));
  const paths = () => world.differences.map((each) => `${each.class} ${each.path}`);
  try {
    const found = await act(world);
    return { found, paths: paths(), reason: undefined };
  } catch (error) {
    return { found: undefined, paths: paths(), reason: reasonOf(ConnectError.from(error)) };
  }
}

async function first(items: AsyncIterable<Reply>): Promise<unknown> {
  const found: unknown[] = [];
  for await (const item of items) found.push(jsonOf(item));
  return found[0];
}

const VALUES: readonly unknown[] = [
  { id: "1" },
  {},
  [{ id: "1" }, { id: "2" }],
  [{ id: "1" }],
  [],
  "none",
  "",
];

test.each(Object.entries(PLACES))(
  "UNWRAPPED: as a %s, a value of a declared type selects the member",
  async (_place, act) => {
    for (const value of VALUES) {
      const { found, paths, reason } = await act(value);
      expect([value, paths, reason]).toEqual([value, [], undefined]);
      expect(found).toEqual(value === "" || JSON.stringify(value) !== "{}" ? value : { id: "" });
    }
  },
);

test.each(Object.entries(PLACES))(
  "UNWRAPPED: as a %s, a value of an undeclared type is reported as lost",
  async (_place, act) => {
    for (const value of [7, true, false]) {
      const { found, paths } = await act(value);
      expect(found).toBeUndefined();
      expect(paths).toEqual([expect.stringMatching(/^lost /)]);
    }
  },
);

/** Returns an empty object with the field that a message always has. */
function withId(json: unknown): unknown {
  return JSON.stringify(json) === "{}" ? { id: "" } : json;
}

test("property: a value of any JSON type is read unchanged, or a difference reports the change", async () => {
  const hit = fc.record({ id: fc.string({ maxLength: 3 }) });
  const value = fc.oneof(
    hit,
    fc.array(hit, { maxLength: 3 }),
    fc.string({ maxLength: 3 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.values(PLACES)), value, async (act, sent) => {
      const { found, paths, reason } = await act(sent);
      if (paths.length > 0 || reason !== undefined) return;
      const json: unknown = JSON.parse(JSON.stringify(sent));
      const kept = Array.isArray(json) ? json.map(withId) : withId(json);
      expect(found).toEqual(kept ?? undefined);
    }),
    { numRuns: 100 },
  );
});

test("UNWRAPPED: a fallback holds values of every other type unchanged", async () => {
  const { client, differences } = await replies('{"rest":[1,"a",null]}');
  const { rest } = await client.getReplies({});
  expect(rest?.rest.case).toBe("other");
  expect(differences).toEqual([]);
});

const CROSSED: ReadonlyArray<readonly [json: object, cases: object, differences: readonly string[]]> = [
  [{ first_text: "a" }, { first: "firstText" }, []],
  [{ first_text: "a", first_hit: null }, { first: "firstText" }, []],
  [{ first_text: "a", first_hit: { id: "1" } }, { first: "firstText" }, ["lost crossed.first_hit"]],
  [
    { firstHit: { id: "1" }, first_number: "5", first_text: false },
    { first: "firstHit" },
    ["converted crossed.first_text", "lost crossed.first_number"],
  ],
  [
    { first_text: "a", first_hit: {}, firstNumber: 3 },
    { first: "firstText" },
    ["lost crossed.firstNumber", "lost crossed.first_hit"],
  ],
  [{ first_text: [], first_number: 3 }, { first: "firstNumber" }, ["lost crossed.first_text"]],
  [{ second_kind: "second_hit", second_hit: { id: "1" } }, { second: "secondHit" }, []],
  [{ secondKind: "second_text", secondText: "a" }, { second: "secondText" }, []],
  [
    { second_kind: "second_hit", second_hit: { id: "1" }, second_text: "a" },
    { second: "secondHit" },
    ["lost crossed.second_text"],
  ],
  [
    { second_kind: "second_hit", second_hit: { id: "1" }, second_text: "" },
    { second: "secondHit" },
    ["converted crossed.second_text"],
  ],
  [{ second_kind: "second_text", second_text: "a", second_hit: {} }, { second: "secondText" }, []],
  [{ second_text: "a" }, {}, ["lost crossed.second_text"]],
  [
    { second_kind: "new", second_hit: { id: "1" } },
    {},
    ["lost crossed.second_hit", "lost crossed.second_kind"],
  ],
  [{ second_kind: "second_hit", second_hit: 5 }, {}, ["lost crossed.second_hit"]],
  [{ third_kind: "hit", third_value: { id: "1" } }, { third: "thirdHit" }, []],
  [{ thirdKind: "hit", thirdValue: { id: "1" } }, { third: "thirdHit" }, []],
  [{ third_value: { id: "1" } }, {}, ["lost crossed.third_value"]],
  [
    { third_kind: "new", third_value: { id: "1" } },
    {},
    ["lost crossed.third_kind", "lost crossed.third_value"],
  ],
  [{ third_kind: "hit", third_value: "x" }, {}, ["lost crossed.third_value"]],
  [{ fourth_hit: { id: "1" }, fourth_text: "a" }, { fourth: "fourthHit" }, ["lost crossed.fourth_text"]],
];

test.each(CROSSED)("selects the members of several oneofs in %j", async (json, cases, expected) => {
  const { client, differences } = await replies(JSON.stringify({ crossed: json }));
  const { crossed } = await client.getReplies({});
  const { first, second, third, fourth } = crossed ?? {};
  const found = Object.entries({ first, second, third, fourth }).filter(
    ([, each]) => each?.case !== undefined,
  );
  expect(Object.fromEntries(found.map(([name, each]) => [name, each?.case]))).toEqual(cases);
  expect(differences.map((each) => `${each.class} ${each.path}`).sort()).toEqual(expected);
});

test.each([
  ['{"third_kind":9007199254740993,"third_value":{"text":"a"}}', "thirdText", 0],
  ['{"third_kind":"9007199254740993","third_value":{"text":"a"}}', "thirdText", 0],
  ['{"third_kind":9007199254740992,"third_value":{"text":"a"}}', undefined, 2],
  ['{"third_kind":9007199254740994,"third_value":{"text":"a"}}', undefined, 2],
])("a discriminator is compared exactly, even above 2^53: %s", async (json, chosen, count) => {
  const { client, differences } = await replies(`{"crossed":${json}}`);
  const { crossed } = await client.getReplies({});
  expect(crossed?.third.case).toBe(chosen);
  expect(differences).toHaveLength(count);
});

test.each([
  ["9007199254740993", "fourthText"],
  ["9007199254740992", undefined],
])("a condition compares integers exactly: %s", async (kind, chosen) => {
  for (const key of ["fourth_kind", "fourthKind"]) {
    const { client } = await replies(`{"crossed":{"${key}":${kind},"fourth_text":"a"}}`);
    const { crossed } = await client.getReplies({});
    expect(crossed?.fourth.case).toBe(chosen);
    expect(crossed?.fourthKind).toBe(kind);
  }
});
