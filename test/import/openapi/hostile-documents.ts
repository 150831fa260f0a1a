/** Generates documents whose names, texts and shapes break rules of protobuf, HTTP or TypeScript. */
import fc from "fast-check";
import { type Json, type JsonObject, OpenApi } from "./document.ts";

const COUNT = 40;

/** Names that are reserved, that contain syntax of another language, or that only whitespace tells apart. */
const NAMES = [
  "id",
  "a",
  "A",
  "a b",
  'a"b',
  "a/b",
  "a\\b",
  "a.b",
  "a[b]",
  "a[]",
  "[a]",
  "a{b}",
  "{a}",
  "a=b",
  "a&b",
  "a?b",
  "a#b",
  "a:b",
  "a;b",
  "a,b",
  "a%2Fb",
  "a%",
  "$a",
  "@a",
  "a'b",
  ["`$", "{a}`"].join(""),
  "*/",
  "/*",
  "//",
  "..",
  ".",
  "-",
  "_",
  "*",
  " ",
  "a\nb",
  "a\r\nb",
  "\t",
  "\u0000",
  "\u2028",
  "\ud800",
  "größe",
  "日本",
  "😀",
  "1",
  "0",
  "message",
  "option",
  "class",
  "constructor",
  "__proto__",
  "toString",
  "value",
  "body",
  "Content-Type",
  "Host",
  "Cookie",
  "Content-Length",
  "Transfer-Encoding",
  "x".repeat(200),
];
const name = fc.constantFrom(...NAMES);
/** Names that differ from each other, as the properties of an object do. */
const names = (maxLength: number) => fc.uniqueArray(name, { minLength: 1, maxLength });

const scalar = fc.oneof(
  fc.constantFrom<JsonObject>(
    { type: "string" },
    { type: "string", format: "date-time" },
    { type: "string", format: "byte" },
    { type: "string", format: "binary" },
    { type: "string", maxLength: 0 },
    { type: "string", pattern: '"\\n\n' },
    { type: "integer" },
    { type: "integer", enum: [1, 2] },
    { type: "number" },
    { type: "boolean" },
    { type: "boolean", enum: [true] },
    { type: ["string", "null"] },
    { type: ["string", "integer"] },
    { type: "null" },
  ),
  names(4).map((values): JsonObject => ({ type: "string", enum: values })),
);

/** A schema, nested in objects, lists, maps, tuples and unions. */
const { schema } = fc.letrec<{ readonly schema: JsonObject; readonly object: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true, maxDepth: 3 },
    { arbitrary: scalar, weight: 3 },
    { arbitrary: fc.constantFrom<JsonObject>({}, { type: "object" }, { type: "array" }), weight: 1 },
    { arbitrary: tie("object"), weight: 3 },
    { arbitrary: tie("schema").map((items): JsonObject => ({ type: "array", items })), weight: 2 },
    {
      arbitrary: tie("schema").map((each): JsonObject => ({ type: "object", additionalProperties: each })),
      weight: 2,
    },
    {
      arbitrary: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((prefixItems): JsonObject => {
        return { type: "array", prefixItems };
      }),
      weight: 1,
    },
    {
      arbitrary: fc
        .tuple(
          fc.constantFrom("oneOf", "anyOf", "allOf"),
          fc.array(tie("schema"), { minLength: 1, maxLength: 3 }),
        )
        .map(([keyword, parts]): JsonObject => ({ [keyword]: parts })),
      weight: 1,
    },
  ),
  object: fc
    .tuple(
      names(4),
      fc.array(tie("schema"), { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      tie("schema"),
      fc.nat(4),
    )
    .map(
      ([keys, schemas, isOpen, additional, count]): JsonObject => ({
        type: "object",
        properties: Object.fromEntries(keys.map((key, index) => [key, schemas[index] ?? {}])),
        required: keys.slice(0, count),
        ...(isOpen ? { additionalProperties: additional } : {}),
      }),
    ),
}));

const parameter = fc
  .record({
    in: fc.constantFrom("query", "query", "header", "cookie"),
    name,
    style: fc.constantFrom(undefined, "form", "deepObject", "spaceDelimited", "pipeDelimited", "simple"),
    explode: fc.constantFrom(undefined, true, false),
    required: fc.boolean(),
    description: fc.option(name, { nil: undefined }),
    schema,
    isJson: fc.nat(9).map((draw) => draw === 0),
  })
  .map(({ schema: own, isJson, ...rest }): Json => {
    const content: Json = { "application/json": { schema: own } };
    return JSON.parse(JSON.stringify({ ...rest, ...(isJson ? { content } : { schema: own }) })) as Json;
  });

const media = fc.constantFrom(
  "application/json",
  "application/json",
  "application/merge-patch+json",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/octet-stream",
  "text/event-stream",
  "application/jsonl",
  'a/"b"\n',
);

const content = fc.tuple(media, schema, names(2), fc.constantFrom("deepObject", "form")).map(
  ([type, own, keys, style]): Json => ({
    [type]: { schema: own, encoding: Object.fromEntries(keys.map((key) => [key, { style }])) },
  }),
);

/** A part of a path: text, a variable, or several of both. */
const segment = fc.oneof(
  name,
  name.map((each) => `{${each}}`),
  fc.tuple(name, name).map(([a, b]) => `{${a}}-{${b}}`),
  name.map((each) => `{${each}}-{${each}}`),
  fc.tuple(name, name).map(([a, b]) => `{${a}}{${b}}`),
  fc.tuple(name, name, name).map(([a, b, c]) => `${a}{${b}}${c}`),
);

const operation = fc.record({
  path: fc.array(segment, { maxLength: 3 }),
  verb: fc.constantFrom("get", "post", "put", "delete", "patch", "head", "options"),
  operationId: fc.option(name, { nil: undefined }),
  tags: fc.array(name, { maxLength: 2 }),
  summary: name,
  description: fc.array(name, { maxLength: 4 }).map((texts) => texts.join("\n")),
  parameters: fc.array(parameter, { maxLength: 4 }),
  variable: schema,
  body: fc.option(content, { nil: undefined }),
  response: content,
  headers: names(2),
});

type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

function pathItem(drawn: Operation, index: number, named: readonly string[]): readonly [string, Json] {
  const { path, verb, parameters, variable, body, response, headers, ...texts } = drawn;
  const schema = { $ref: `#/components/schemas/${pointerPart(named[index % named.length] ?? "")}` };
  const variables = new Set([...path.join("/").matchAll(/\{([^{}]*)\}/g)].map(([, each = ""]) => each));
  const inPath = [...variables].map(
    (each): Json => ({ name: each, in: "path", required: true, schema: variable }),
  );
  const declared = headers.map((each): [string, Json] => [each, { schema: variable }]);
  const responses: Json = {
    200: { description: "", headers: Object.fromEntries(declared), content: response },
  };
  const own = {
    ...texts,
    parameters: [...parameters, ...inPath],
    responses:
      index % 3 === 0 ? { 200: { description: "", content: { "application/json": { schema } } } } : responses,
    ...(body === undefined ? {} : { requestBody: { content: body } }),
  };
  return [["", `o${index}`, ...path].join("/"), JSON.parse(JSON.stringify({ [verb]: own })) as Json];
}

/** Escapes a name in a reference (RFC 6901 section 6). */
function pointerPart(text: string): string {
  return encodeURIComponent(text.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
}

const texts = fc.record({ title: name, version: name, scheme: name, header: name });

/** Generates documents with many operations. */
export const hostileDocument: fc.Arbitrary<OpenApi> = fc
  .tuple(
    fc.array(operation, { minLength: COUNT, maxLength: COUNT }),
    texts,
    names(6),
    fc.array(schema, { minLength: 6 }),
  )
  .map(([operations, { title, version, scheme, header }, schemas, own]) => {
    // services and requests have names too, which these may equal
    const taken = operations.flatMap(({ tags, operationId }) => [
      ...tags.map((tag) => `${tag} service`),
      ...(operationId === undefined ? [] : [`${operationId} request`]),
    ]);
    const named = [...new Set([...schemas, ...taken].map((each) => each.toWellFormed()))];
    const paths = operations.map((each, index) => pathItem(each, index, named));
    return new OpenApi({
      openapi: "3.1.0",
      info: { title, version },
      servers: [{ url: "https://api.example.com" }],
      security: [{ [scheme]: [] }],
      paths: Object.fromEntries(paths),
      components: {
        securitySchemes: { [scheme]: { type: "apiKey", in: "header", name: header } },
        schemas: Object.fromEntries(named.map((each, index) => [each, own[index % own.length] ?? {}])),
      },
    });
  });
