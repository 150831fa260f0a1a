import { create, equals, fromJson, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChoiceService, NullsSchema } from "../gen/rules/v1/choices_pb.ts";
import { ChoiceServiceRest } from "../gen/rules/v1/choices_rest.ts";
import { type Answers, start } from "./world.ts";

type Nulls = MessageInitShape<typeof NullsSchema>;

const echo: Answers = ({ text }) => ({ body: text });

/** Returns messages with one optional field, which is sometimes unset. */
function orNull<T>(value: fc.Arbitrary<T>): fc.Arbitrary<{ value?: T }> {
  return fc.record({ value }, { requiredKeys: [] });
}

const key = fc.string().filter((name) => name !== "__proto__");
const text = orNull(fc.string());
const answer = fc.oneof(
  fc.string().map((value) => ({ reply: { case: "text" as const, value } })),
  fc.record({ id: fc.string() }).map((value) => ({ reply: { case: "one" as const, value } })),
);

const { message } = fc.letrec<{ message: Nulls }>((tie) => ({
  message: fc.record(
    {
      choice: fc.oneof(
        { depthSize: "small" },
        fc.constant({ case: "nothing" as const, value: 0 }),
        fc.constant({ case: "noValue" as const, value: 0 }),
        fc.string().map((value) => ({ case: "text" as const, value })),
        tie("message").map((value) => ({ case: "inner" as const, value })),
      ),
      toldNull: fc.constant(0),
      single: fc.constant({ case: "alone" as const, value: 0 }),
      texts: fc.array(text),
      numbers: fc.dictionary(key, orNull(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))),
      times: fc.dictionary(
        fc.nat().map(String),
        orNull(fc.nat().map((seconds) => ({ seconds: BigInt(seconds) }))),
      ),
      items: fc.array(orNull(tie("message")), { maxLength: 3, depthIdentifier: "message" }),
      lists: fc.array(orNull(fc.record({ texts: fc.array(text, { maxLength: 3 }) }))),
      textOrNull: text,
      kinds: fc.array(orNull(fc.constantFrom(0, 1, 2))),
      answers: fc.array(orNull(answer)),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Nulls>,
}));

test("property: null survives a round trip in every field that distinguishes null from unset", async () => {
  const world = await start(ChoiceService, ChoiceServiceRest, echo);
  await fc.assert(
    fc.asyncProperty(message, async (init) => {
      const sent = create(NullsSchema, init);
      const received = await world.client.echoNulls(sent);
      expect(toJson(NullsSchema, received)).toEqual(toJson(NullsSchema, sent));
      expect(equals(NullsSchema, received, sent)).toBe(true);
      // The same holds for ProtoJSON, the upstream's format.
      const json: JsonValue = toJson(NullsSchema, sent);
      expect(equals(NullsSchema, fromJson(NullsSchema, json), sent)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['{"nothing":null}', { nothing: null }],
  ['{"no_value":null}', { noValue: null }],
  ['{"noValue":null}', { noValue: null }],
  ['{"nothing":"NULL_VALUE"}', { nothing: null }],
  ['{"nothing":0}', { nothing: null }],
  ['{"nothing":null,"no_value":null}', { nothing: null }],
  ['{"text":"a","nothing":null}', { text: "a" }],
  ['{"nothing":null,"text":""}', { text: "" }],
  [
    '{"nothing":null,"inner":{"no_value":null,"told_null":null}}',
    { inner: { noValue: null, toldNull: null } },
  ],
  ['{"inner":{"nothing":null},"no_value":null}', { inner: { nothing: null } }],
  ['{"inner":{},"no_value":null}', { inner: {} }],
  ['{"inner":null}', {}],
  ['{"told_null":null,"alone":null}', { toldNull: null, alone: null }],
  ["{}", {}],
  ['{"texts":["a",null,""]}', { texts: [{ value: "a" }, {}, { value: "" }] }],
  ['{"texts":null,"numbers":null}', {}],
  ['{"texts":"a"}', { texts: [{ value: "a" }] }],
  ['{"numbers":{"a":1,"b":null}}', { numbers: { a: { value: "1" }, b: {} } }],
  [
    '{"lists":[null,[],["a",null]]}',
    { lists: [{}, { value: {} }, { value: { texts: [{ value: "a" }, {}] } }] },
  ],
  ['{"items":[null,{},{"text":"a"}]}', { items: [{}, { value: {} }, { value: { text: "a" } }] }],
  ['{"text_or_null":null}', { textOrNull: {} }],
  ['{"textOrNothing":null}', { textOrNull: {} }],
  ['{"text_or_null":null,"textOrNothing":"a"}', { textOrNull: { value: "a" } }],
  ['{"kinds":["NULL_KIND_OAK",null]}', { kinds: [{ value: "NULL_KIND_OAK" }, {}] }],
  [
    '{"answers":[null,"a",{"id":"b"}]}',
    { answers: [{}, { value: { text: "a" } }, { value: { one: { id: "b" } } }] },
  ],
] as const)("the response %s is read as %o", async (body, expected) => {
  const world = await start(ChoiceService, ChoiceServiceRest, () => ({ body }));
  const received = await world.client.echoNulls({});
  expect(toJson(NullsSchema, received)).toEqual(expected);
});

test("a lost value is not null", async () => {
  const world = await start(
    ChoiceService,
    ChoiceServiceRest,
    () => ({
      body: '{"texts":[{},null],"numbers":{"a":"x","b":null},"kinds":["zz",null],"text_or_null":[1],"items":[1,null]}',
    }),
    { strict: false },
  );
  const received = await world.client.echoNulls({});
  expect(toJson(NullsSchema, received)).toEqual({
    texts: [{}],
    numbers: { b: {} },
    kinds: [{}],
    items: [{}],
  });
  expect(world.differences.map((each) => `${each.class} ${each.path}: ${each.expected}`)).toEqual([
    "lost texts[0]: string",
    "lost numbers.a: int64",
    "lost items[0]: object",
    "lost text_or_null: string",
    "lost kinds[0]: one of rules.v1.NullKind",
  ]);
});
