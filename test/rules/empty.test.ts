import { ConnectError } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { expect, test } from "vitest";
import { EmptyService } from "../gen/rules/v1/empty_pb.ts";
import { EmptyServiceRest } from "../gen/rules/v1/empty_rest.ts";
import { type Answers, start } from "./world.ts";

const empty = (answers: Answers) => start(EmptyService, EmptyServiceRest, answers);

async function ids(parcels: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of parcels) found.push(id);
  return found;
}

/** Returns the reason of a call's error, and the text after the method's name. */
async function rejection(call: Promise<unknown>): Promise<[reason: string | undefined, text: string]> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => ConnectError.from(thrown),
  );
  return [error && reasonOf(error), String(error?.rawMessage).replace(/^.*?Parcels?: /, "")];
}

test.each([
  "{}",
  '{"response":null}',
  '{"response":false}',
  '{"response":[]}',
  '{"response":{}}',
  '{"response":""}',
  "",
])("a payload is empty in every form that the rule lists, without a difference: %s", async (body) => {
  const { client, differences } = await empty({ body });
  expect(await client.getParcel({})).toMatchObject({ id: "", unknownFields: {} });
  expect(differences).toEqual([]);
});

test("a response is empty only if it has no body or a body that the rule lists", async () => {
  const { client } = await empty([{ body: "" }, { body: "[]" }, { body: "false" }]);
  expect((await client.trackParcel({})).id).toBe("");
  expect((await client.trackParcel({})).id).toBe("");
  expect(await rejection(client.trackParcel({}))).toEqual([
    "RESPONSE_SHAPE",
    "(root): expected object, got boolean",
  ]);
});

test.each([
  ["{}", "a payload, got nothing"],
  ["", "a payload, got nothing"],
  ['{"response":false}', "object, got boolean"],
  ['{"response":""}', "object, got empty string"],
  ['{"response":[{"id":"a"}]}', "object, got array"],
  ['{"response":[{"id":"a"},{"id":"b"}]}', "object, got array"],
  ['{"response":7}', "object, got number"],
])("by default, a payload of another type is an error, not an empty payload: %s", async (body, text) => {
  const { client } = await empty({ body });
  expect(await rejection(client.findParcel({}))).toEqual(["RESPONSE_SHAPE", `response: expected ${text}`]);
});

test.each(['{"response":null}', '{"response":[]}', '{"response":{}}'])(
  "by default, a payload without content is empty: %s",
  async (body) => {
    const { client } = await empty({ body });
    expect((await client.findParcel({})).id).toBe("");
  },
);

test.each([
  '{"response":{"total":0}}',
  '{"response":{"parcels":false}}',
  '{"response":{"parcels":[]}}',
  '{"response":[]}',
  "",
])("a page is empty in every form that the rules list: %s", async (body) => {
  const { client } = await empty({ body });
  expect(await ids(client.listParcels({}))).toEqual([]);
});

test.each([
  ["{}", "response: expected a payload, got nothing"],
  ['{"response":7}', "response: expected object, got number"],
  ['{"response":[{"id":"a"}]}', "response: expected object, got array"],
  ['{"response":{"parcels":null}}', "response.parcels: expected array, got null"],
  ['{"response":{"parcels":{"other":"a"}}}', "response.parcels: expected array, got object"],
  ['{"response":{"parcels":"a"}}', "response.parcels: expected array, got string"],
  ['{"response":{"parcels":[],"total":3}}', "parcels: expected items up to 3, as `total` says, got none"],
])("a page of another type fails the stream: %s", async (body, text) => {
  const { client } = await empty({ body });
  expect(await rejection(ids(client.listParcels({})))).toEqual(["RESPONSE_SHAPE", text]);
});

test("an object with a key of an item is the only item of a page", async () => {
  const { client } = await empty([
    { json: { response: { parcels: { id: "a" } } } },
    { json: { response: { parcels: [] } } },
  ]);
  expect(await ids(client.listParcels({}))).toEqual(["a"]);
});

test("a page without items does not end the list if the number of pages says that more follow", async () => {
  const pages = [{ json: { parcels: [], pages: 3 } }, { json: { parcels: [{ id: "a" }], pages: 3 } }];
  const { client, seen } = await empty([...pages, { json: { parcels: null, pages: 3 } }]);
  expect(await ids(client.searchParcels({}))).toEqual(["a"]);
  expect(seen).toHaveLength(3);
});

test.each(["{}", '"a"', "7", '{"message":"maintenance"}', ""])(
  "a list without an envelope accepts {} as empty, and rejects other payloads: %s",
  async (body) => {
    const { client } = await empty({ body });
    const outcome = await rejection(ids(client.dumpParcels({})));
    expect(outcome[0]).toBe(body === "{}" ? undefined : "RESPONSE_SHAPE");
  },
);

test("unknown enum names are kept in the companion field or with the unknown keys, and are reported as additional", async () => {
  const { client, differences } = await empty({
    json: { response: { id: "a", stage: "lost", stages: ["sent", "lost"], size: "huge" } },
  });
  expect(await client.findParcel({})).toMatchObject({
    stage: 0,
    stages: [1],
    size: 0,
    sizeName: "huge",
    unknownFields: { stage: '"lost"', stages: '["sent","lost"]' },
  });
  expect(differences.map((each) => `${each.class} ${each.path}`)).toEqual([
    "additional stage",
    "additional stages[1]",
    "additional size",
  ]);
});

test("unknown enum numbers are kept", async () => {
  const { client, differences } = await empty({ json: { response: { stage: 7, stages: [1, 8], size: 9 } } });
  expect(await client.findParcel({})).toMatchObject({ stage: 7, stages: [1, 8], size: 9, unknownFields: {} });
  expect(differences.map((each) => each.class)).toEqual(
    ["additional", "additional", "converted", "additional"].toSorted(),
  );
});
