import { create, equals, fromJson, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChoiceService, NullsSchema } from "../gen/rules/v1/choices_pb.ts";
import { ChoiceServiceRest } from "../gen/rules/v1/choices_rest.ts";
import { type Answers, start } from "./world.ts";

type Nulls = MessageInitShape<typeof NullsSchema>;

const echo: Answers = ({ text }) => ({ body: text });

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
] as const)("the response %s is read as %o", async (body, expected) => {
  const world = await start(ChoiceService, ChoiceServiceRest, () => ({ body }));
  const received = await world.client.echoNulls({});
  expect(toJson(NullsSchema, received)).toEqual(expected);
});
