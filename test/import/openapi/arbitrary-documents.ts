/** Generates documents whose schemas combine the keywords of OpenAPI at random. */
import fc from "fast-check";
import { type Json, memberOf, OpenApi } from "./document.ts";

const COUNT = 40;
/** Keys that become the same name, that are reserved, or that look like positions. */
const KEYS = [
  "id",
  "fooBar",
  "foo_bar",
  "foo-bar",
  "foo_1",
  "foo1",
  "type",
  "map",
  "a.b",
  "1st",
  "+1",
  "größe",
  "default",
];
const WORDS = ["", "a", "A", "a_b", "a-b", "1", "01", "unspecified", "日本", "+1"];

const reference = fc.nat(COUNT - 1).map((index): Json => ({ $ref: `#/components/schemas/Schema${index}` }));

const scalar = fc.oneof(
  fc.constantFrom<Json>(
    { type: "string" },
    { type: "string", format: "date-time" },
    { type: "string", format: "byte" },
    { type: "string", format: "uuid" },
    { type: "integer" },
    { type: "integer", format: "int32" },
    { type: "integer", format: "int64" },
    { type: "integer", minimum: 0, maximum: 100 },
    { type: "number" },
    { type: "boolean" },
  ),
  fc
    .uniqueArray(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
    .map((values): Json => ({ type: "string", enum: values })),
  fc.constantFrom<Json>({ type: "integer", enum: [1, 2, -3] }, { type: "integer", enum: [2 ** 40] }),
);

const { schema } = fc.letrec<{ readonly schema: Json; readonly object: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: reference, weight: 2 },
    { arbitrary: tie("object"), weight: 4 },
    { arbitrary: tie("schema").map((items): Json => ({ type: "array", items })), weight: 2 },
    {
      arbitrary: tie("schema").map(
        (additionalProperties): Json => ({ type: "object", additionalProperties }),
      ),
      weight: 1,
    },
    { arbitrary: fc.constantFrom<Json>({ type: "object" }, {}), weight: 1 },
    { arbitrary: tie("object").map(union), weight: 1 },
  ),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom(...KEYS), tie("schema"), { minKeys: 1, maxKeys: 5 }),
      fc.array(fc.constantFrom(...KEYS)),
    )
    .map(([properties, required]): Json => {
      const names = Object.keys(properties).filter((key) => required.includes(key));
      return { type: "object", properties, ...(names.length === 0 ? {} : { required: names }) };
    }),
}));

/** Returns a union of a text, a list and an object. */
function union(object: Json): Json {
  return { oneOf: [{ type: "string" }, { type: "array", items: { type: "boolean" } }, object] };
}

/** Returns a schema that does not only refer to another schema, so that no references form a cycle. */
function withoutCycle(schema: Json): Json {
  return memberOf(schema, "$ref") === undefined ? schema : { type: "array", items: schema };
}

/** Generates documents with an operation for each schema. */
export function arbitraryDocument(openapi: "3.0.3" | "3.1.0"): fc.Arbitrary<OpenApi> {
  return fc.array(schema, { minLength: COUNT, maxLength: COUNT }).map((schemas) => {
    const entries = schemas.map((each, index) => [`Schema${index}`, withoutCycle(each)] as const);
    const paths = entries.map(([name]) => {
      const content: Json = { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
      return [
        `/${name}`,
        { put: { requestBody: { content }, responses: { 200: { description: "", content } } } },
      ] as const;
    });
    return new OpenApi({
      openapi,
      info: { title: "Any", version: "1" },
      paths: Object.fromEntries(paths),
      components: { schemas: Object.fromEntries(entries) },
    });
  });
}
