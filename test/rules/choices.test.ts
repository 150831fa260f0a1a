import type { MessageInitShape } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChoiceService, type ChoicesSchema } from "../gen/rules/v1/choices_pb.ts";
import { ChoiceServiceRest } from "../gen/rules/v1/choices_rest.ts";
import { type Answers, type Settings, start } from "./world.ts";

const choices = (answer: Answers = ({ text }) => ({ body: text }), settings?: Settings) =>
  start(ChoiceService, ChoiceServiceRest, answer, settings);

type Choices = MessageInitShape<typeof ChoicesSchema>;

const CASES: ReadonlyArray<readonly [what: string, message: Choices, wire: unknown]> = [
  ["no rule", { plain: { choice: { case: "number", value: 0n } } }, { plain: { number: "0" } }],
  [
    "FLATTENED",
    {
      flat: [
        { id: "1", choice: { case: "text", value: { text: "t" } } },
        { choice: { case: "picture", value: { url: "u", width: 3 } } },
      ],
    },
    {
      flat: [
        { id: "1", type: "text", text: "t" },
        { type: "image", url: "u", width: 3 },
      ],
    },
  ],
  [
    "a discriminator alone",
    { implied: [{ choice: { case: "picture", value: { url: "u" } } }] },
    { implied: [{ type: "picture", url: "u" }] },
  ],
  [
    "NESTED",
    {
      nested: [{ choice: { case: "text", value: { text: "t" } } }, { choice: { case: "note", value: "n" } }],
    },
    {
      nested: [
        { kind: "text", text: { text: "t" } },
        { kind: "note", note: "n" },
      ],
    },
  ],
  [
    "a discriminator that is a number",
    { numbered: [{ choice: { case: "text", value: { text: "t" } } }] },
    { numbered: [{ op: 1, text: "t" }] },
  ],
  [
    "a discriminator that is a boolean",
    {
      flagged: [
        { choice: { case: "text", value: { text: "t" } } },
        { choice: { case: "picture", value: { url: "u" } } },
      ],
    },
    {
      flagged: [
        { is_text: true, text: "t" },
        { is_text: false, url: "u" },
      ],
    },
  ],
  [
    "BESIDE",
    {
      beside: [
        { choice: { case: "said", value: { text: "t" } } },
        { choice: { case: "shown", value: { url: "u" } } },
      ],
    },
    {
      beside: [
        { type: "SaidEvent", payload: { text: "t" } },
        { type: "ShownEvent", payload: { url: "u" } },
      ],
    },
  ],
];

test.each(CASES)("a message survives a round trip: %s", async (_what, message, wire) => {
  const { client, seen, differences } = await choices();
  expect(await client.echoChoices(message)).toMatchObject(message);
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual(wire);
  expect(differences).toEqual([]);
});

test("values: each listed value selects the member, and the fallback holds objects of unknown types", async () => {
  const flat = [{ type: "photo", url: "u" }, { id: "1", type: "poll", options: ["a"] }, { id: "2" }];
  const { client, seen, differences } = await choices((_request, index) => ({
    json: index === 0 ? { flat } : {},
  }));
  const { flat: read } = await client.echoChoices({});
  expect(read.map(({ choice }) => choice.case)).toEqual(["picture", "other", "other"]);
  expect(read[1]?.choice.value).toMatchObject({ type: "poll", options: ["a"] });
  expect(differences).toEqual([]);
  await client.echoChoices({ flat: read });
  expect(JSON.parse(seen[1]?.text ?? "").flat[1]).toMatchObject({ type: "poll", options: ["a"] });
});

test("without a fallback, an unknown type is omitted and reported", async () => {
  const { client, differences } = await choices(
    { json: { beside: [{ type: "New", payload: {} }] } },
    { strict: false },
  );
  expect((await client.echoChoices({})).beside[0]?.choice.case).toBeUndefined();
  expect(differences).toEqual([expect.objectContaining({ path: "beside[0].type" })]);
});

test("when: presence, absence, type and values of other keys select a member, in order", async () => {
  const guessed = [
    { id: "1", url: "u" },
    { id: "2", text: "t" },
    { id: "3", text: 5, meta: { kind: "text" } },
    { reason: "gone" },
    { id: "5" },
  ];
  const { client } = await choices({ json: { guessed } });
  const read = (await client.echoChoices({})).guessed;
  expect(read.map(({ choice }) => choice.case)).toEqual(["picture", "text", "text", "absent", undefined]);
  expect(read[0]).toMatchObject({ id: "1", choice: { value: { url: "u" } } });
  expect(read[3]).toMatchObject({ choice: { value: { reason: "gone" } } });
});

test.each([
  [{ is_text: true, text: "t" }, "text"],
  [{ isText: true, text: "t" }, "text"],
  [{ isText: false, url: "u" }, "picture"],
])("a condition finds its key in both spellings: %j", async (flagged, chosen) => {
  const { client, differences } = await choices({ json: { flagged: [flagged] } });
  const [read] = (await client.echoChoices({})).flagged;
  expect([read?.choice.case, differences]).toEqual([chosen, []]);
});

test("a key with the name of a flattened member is reported as unknown", async () => {
  const { client, differences } = await choices({ json: { guessed: [{ id: "1", url: "u", picture: {} }] } });
  await client.echoChoices({});
  expect(differences).toEqual([expect.objectContaining({ path: "guessed[0].picture" })]);
});

test("property: any value of a member survives a round trip in every layout", async () => {
  const { client } = await choices();
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((value) => value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      const message: Choices = {
        flat: [{ choice: { case: "text", value: { text: value } } }],
        nested: [{ choice: { case: "note", value } }],
        beside: [{ choice: { case: "said", value: { text: value } } }],
      };
      expect(await client.echoChoices(message)).toMatchObject(message);
    }),
    { numRuns: 30 },
  );
});
