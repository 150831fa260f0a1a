import { expect, test } from "vitest";
import { ClosedEdition, EditionService } from "../gen/rules/v1/edition_pb.ts";
import { EditionServiceRest } from "../gen/rules/v1/edition_rest.ts";
import { Closed, OldService } from "../gen/rules/v1/old_pb.ts";
import { OldServiceRest } from "../gen/rules/v1/old_rest.ts";
import { type Answers, type Settings, start } from "./world.ts";

const ECHO: Answers = ({ text }) => ({ body: text });
const old = (answers: Answers = ECHO, settings?: Settings) =>
  start(OldService, OldServiceRest, answers, settings);
const edition = (answers: Answers = ECHO) => start(EditionService, EditionServiceRest, answers);

test("proto2: groups, required fields and repeated fields are written and read as JSON", async () => {
  const { client, seen, differences } = await old(({ text }) => ({ body: text.replace("{", '{"id":"1",') }));
  const message = {
    id: "1",
    count: 0,
    detail: { longText: "d" },
    line: [{ number: 1n }, { number: 0n }],
    closed: Closed.TWO,
    allClosed: [Closed.ONE, Closed.TWO],
  };
  const answer = await client.echoOld(message);
  expect(seen[0]?.line).toBe("POST /old/1");
  expect(seen[0]?.text).toBe(
    '{"count":0,"detail":{"longText":"d"},"line":[{"number":"1"},{"number":"0"}],' +
      '"closed":"two","allClosed":["CLOSED_ONE","two"]}',
  );
  expect(answer).toMatchObject(message);
  expect(differences).toEqual([]);
});

test("proto2: unset fields are not sent, and are read as their defaults", async () => {
  const { client, seen } = await old({ json: { id: "1" } });
  const answer = await client.echoOld({ id: "x" });
  expect(seen[0]?.text).toBe("{}");
  expect(answer).toMatchObject({ id: "1", count: 7, closed: Closed.ONE });
});

test("proto2: unknown values of a closed enum are omitted", async () => {
  const { client } = await old(
    { json: { id: "1", closed: "new", all_closed: ["new", "two", 9] } },
    { strict: false },
  );
  expect(await client.echoOld({ id: "x" })).toMatchObject({ closed: Closed.ONE, allClosed: [Closed.TWO] });
});

test("proto2: fields with presence are sent in a query", async () => {
  const { client, seen } = await old({ json: { id: "1" } });
  await client.findOld({ id: "", count: 7, detail: { longText: "d" }, allClosed: [Closed.TWO, Closed.ONE] });
  expect(seen[0]?.line).toBe("GET /old?id=&count=7&detail.longText=d&allClosed=two&allClosed=CLOSED_ONE");
});

test("edition 2023: features of fields apply to JSON in both directions", async () => {
  const { client, seen, differences } = await edition();
  const message = {
    explicitCount: 0,
    requiredText: "",
    delimited: { longText: "d", inside: { longText: "e" } },
    allDelimited: [{ longText: "f" }, {}],
    expanded: [1, 2],
    closed: ClosedEdition.TWO,
    prefixed: { inside: {} },
  };
  const answer = await client.echoEdition({ id: "1", implicitCount: 0, ...message });
  expect(seen[0]?.line).toBe("POST /edition/1");
  expect(seen[0]?.text).toBe(
    '{"explicitCount":0,"requiredText":"","delimited":{"longText":"d","inside":{"longText":"e"}},' +
      '"allDelimited":[{"longText":"f"},{}],"expanded":[1,2],"closed":"CLOSED_EDITION_TWO","prefixed":{"inside":{}}}',
  );
  expect(answer).toMatchObject(message);
  expect(differences).toEqual([]);
});

test("edition 2023: a query has all set fields, except zeros without presence", async () => {
  const { client, seen } = await edition({ json: { requiredText: "" } });
  await client.findEdition({
    explicitCount: 0,
    implicitCount: 0,
    delimited: { longText: "d" },
    closed: [ClosedEdition.ONE],
  });
  await client.findEdition({ implicitCount: 1 });
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /edition?explicitCount=0&delimited.longText=d&closed=CLOSED_EDITION_ONE",
    "GET /edition?implicitCount=1",
  ]);
});
