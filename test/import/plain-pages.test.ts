import fc from "fast-check";
import { expect, test } from "vitest";
import { importDocument, Reader } from "../../import/src/index.ts";
import type { Json } from "../../import/src/json.ts";

const TEXT: Json = { type: "string" };
const NUMBER: Json = { type: "integer" };

/** Parameters of lists, some of which only resemble parameters of pages. */
const parameters = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(
      "cursor",
      "page_token",
      "after",
      "before",
      "page",
      "offset",
      "limit",
      "per_page",
      "since",
      "q",
    ),
    schema: fc.constantFrom<Json>(
      TEXT,
      NUMBER,
      { ...(NUMBER as object), default: 1 },
      { ...(NUMBER as object), minimum: 0 },
    ),
    required: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
);

/** Keys of responses next to their items. */
const keys = fc.dictionary(
  fc.constantFrom(
    "next",
    "next_cursor",
    "next_page_token",
    "previous",
    "cursor",
    "total",
    "page",
    "has_more",
    "total_pages",
  ),
  fc.constantFrom<Json>(TEXT, NUMBER, { type: "boolean" }),
  { maxKeys: 3 },
);

test("property: a list is only streamed by a rule whose evidence the document contains", async () => {
  let rules = 0;
  await fc.assert(
    fc.asyncProperty(parameters, keys, async (query, around) => {
      const properties = {
        ...around,
        items: { type: "array", items: { type: "object", properties: { id: TEXT } } },
      };
      const content = { "application/json": { schema: { type: "object", properties } } };
      const list = {
        operationId: "listPets",
        parameters: query.map((parameter) => ({ ...parameter, in: "query" })),
        responses: { 200: { description: "", content } },
      };
      const value = documentOf(list);
      const { files } = await importDocument(
        { name: "", url: undefined, value },
        new Reader(undefined, false),
      );
      const text = [...files]
        .filter(([path]) => path.endsWith(".proto"))
        .map(([, each]) => each)
        .join("");
      const rule = /\.paginate = \{[\s\S]*?\n {4}\};/.exec(text)?.[0];
      if (rule === undefined) return;
      rules += 1;
      const counted = /\b(?:page|offset): "(\w+)"/.exec(rule)?.[1];
      const cursor = /field: "(\w+)"/.exec(rule)?.[1];
      const used = query.find(({ name }) => name === (counted ?? cursor));
      // no generated key is declared as a link, which would need no parameter
      expect(used).toBeDefined();
      if (counted !== undefined) {
        // without a declared first number, a page could be skipped; a required number has no default
        expect(used?.schema).not.toEqual(counted === "offset" ? TEXT : NUMBER);
        expect(used?.required).toBe(false);
        const isEnding = query.some(({ name }) => name === "limit" || name === "per_page");
        expect(isEnding || /\b(?:more|total)\b/.test(rule)).toBe(true);
      } else {
        const path = /path: "(\w+)"/.exec(rule)?.[1] ?? "";
        expect(around[path]).toEqual(/integer/.test(JSON.stringify(used?.schema)) ? NUMBER : TEXT);
        expect(path).not.toBe("previous");
        expect(used?.name).not.toBe("before");
      }
    }),
    { numRuns: 100 },
  );
  expect(rules).toBeGreaterThan(5);
});

const CURSOR_NAMES = [
  "marker",
  "cursor",
  "token",
  "page_token",
  "startKey",
  "continuation",
  "seek",
  "after_id",
];
const TYPES = ["string", "string", "string", "integer", "integer", "number", "boolean"];

/** A cursor in a response and a request: names in several styles, any types, and up to two lists. */
const pairs = fc.record({
  name: fc.constantFrom(...CURSOR_NAMES),
  spell: fc.constantFrom<(name: string) => string>(
    (name) => `next_${name}`,
    (name) => `${name}_next`,
    (name) => `next${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    (name) => `Next-${name}`,
  ),
  isNextParameter: fc.boolean(),
  key: fc.constantFrom(...TYPES),
  parameter: fc.constantFrom(...TYPES),
  place: fc.constantFrom("top", "meta", "pagination"),
  lists: fc.constantFrom([], ["items"], ["items"], ["items", "others"]),
});

test("property: a cursor of a response with a parameter of the same name is streamed, or is in the report", async () => {
  const seen = { streamed: 0, reported: 0 };
  await fc.assert(
    fc.asyncProperty(pairs, async ({ name, spell, isNextParameter, key, parameter, place, lists }) => {
      const cursor = { [spell(name)]: { type: key } };
      const pet = { type: "object", properties: { id: TEXT } };
      const properties = {
        ...Object.fromEntries(lists.map((list) => [list, { type: "array", items: pet }])),
        ...(place === "top" ? cursor : { [place]: { type: "object", properties: cursor } }),
      };
      const value = documentOf({
        operationId: "listPets",
        parameters: [
          { name: isNextParameter ? spell(name) : name, in: "query", schema: { type: parameter } },
        ],
        responses: {
          200: {
            description: "",
            content: { "application/json": { schema: { type: "object", properties } } },
          },
        },
      });
      const { files, report } = await importDocument(
        { name: "", url: undefined, value },
        new Reader(undefined, false),
      );
      const isStreamed = [...files.values()].some((text) => /\.paginate = \{/.test(text));
      const isReported = report.findings.some(({ cause }) => /^(?:likely|unread)-pages$/.test(cause));
      expect(isStreamed).not.toBe(isReported);
      seen[isStreamed ? "streamed" : "reported"] += 1;
    }),
    { numRuns: 300 },
  );
  expect(Math.min(seen.streamed, seen.reported)).toBeGreaterThan(0);
});

test("a cursor whose type differs from the type of its parameter is in the report", async () => {
  const value = documentOf({
    operationId: "listPets",
    parameters: [{ name: "marker", in: "query", schema: TEXT }],
    responses: {
      200: {
        description: "",
        content: {
          "application/json": {
            schema: {
              type: "object",
              properties: { next_marker: NUMBER, pets: { type: "array", items: { type: "string" } } },
            },
          },
        },
      },
    },
  });
  const { report } = await importDocument({ name: "", url: undefined, value }, new Reader(undefined, false));
  expect(report.findings.map(({ cause, element }) => [cause, element])).toEqual([
    ["unread-pages", "next_marker (integer) and the parameter marker (string)"],
  ]);
});

function documentOf(get: object): Json {
  return { openapi: "3.0.0", info: { title: "Pets" }, paths: { "/pets": { get } } } as unknown as Json;
}
