/** Generates documents whose requests need not contain some of their constrained properties. */
import fc from "fast-check";
import { type Json, OpenApi } from "./document.ts";

const COUNT = 30;

const SCALARS: readonly Json[] = [
  { type: "string", minLength: 1 },
  { type: "string", pattern: "^[a-z]+$" },
  { type: "string", format: "uuid" },
  { type: "string", enum: ["1", "2"] },
  { type: "string", enum: ["a", "b"] },
  { type: "integer", format: "int32", minimum: 1 },
  { type: "integer", enum: [1, 2] },
  { type: "number", exclusiveMaximum: 0, exclusiveMinimum: -5 },
];
const NESTED: readonly Json[] = [
  { type: "array", minItems: 1, items: { type: "string", minLength: 1 } },
  { type: "object", minProperties: 1, additionalProperties: { type: "string", minLength: 1 } },
  { type: "object", required: ["req"], properties: { req: { type: "string", minLength: 1 } } },
];
const scalar = fc.constantFrom(...SCALARS);
const constrained = fc.constantFrom(...SCALARS, ...NESTED);

/** Generates the ways in which a document says that only responses have a property. */
function readOnly(schemas: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.oneof(
    schemas.map((schema): Json => ({ ...Object(schema), readOnly: true })),
    schemas.map((schema): Json => ({ allOf: [schema], readOnly: true })),
    schemas.map((schema): Json => ({ allOf: [schema, { readOnly: true }] })),
    fc.constantFrom<Json>(
      { $ref: "#/components/schemas/ReadOnly" },
      { allOf: [{ $ref: "#/components/schemas/ReadOnly" }, { description: "The number." }] },
      { allOf: [{ $ref: "#/components/schemas/Plain", readOnly: true }, { description: "The text." }] },
    ),
  );
}

/**
 * Generates objects with properties that only responses have (`ro`), that are not required (`opt`), and that
 * requests must contain (`req`).
 */
function objectOf(schemas: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const found = { ro: readOnly(schemas), ro_other: readOnly(schemas), opt: schemas, req: schemas };
  return fc.record(found).map((properties): Json => {
    return { type: "object", required: ["ro", "ro_other", "req"], properties };
  });
}

const object = objectOf(constrained);

const body = fc.oneof(
  object,
  fc.tuple(object, object).map((allOf): Json => ({ allOf })),
  fc.tuple(object, object).map((oneOf): Json => ({ oneOf })),
  object.map((items): Json => ({ type: "array", items })),
  fc.tuple(object, fc.constant<Json>({ type: "string" })).map((anyOf): Json => {
    return { type: "object", properties: { list: { type: "array", items: { anyOf } } } };
  }),
);

const operation = fc.oneof(
  fc.tuple(body, fc.boolean()).map(([schema, required]): Json => {
    return { requestBody: { required, content: { "application/json": { schema } } } };
  }),
  constrained.map((schema): Json => ({ requestBody: { content: { "application/json": { schema } } } })),
  object.map((schema): Json => {
    return { requestBody: { content: { "application/x-www-form-urlencoded": { schema } } } };
  }),
  objectOf(scalar).map((schema): Json => {
    return { parameters: [{ name: "filter", in: "query", required: true, explode: true, schema }] };
  }),
);

/** Generates documents with an operation for each body, form or query. */
export const readOnlyDocument: fc.Arbitrary<OpenApi> = fc
  .array(operation, { minLength: COUNT, maxLength: COUNT })
  .map((operations) => {
    const paths = operations.map((each, index): [string, Json] => {
      const responses: Json = { 204: { description: "" } };
      return [`/path${index}`, { post: { ...Object(each), operationId: `send${index}`, responses } }];
    });
    return new OpenApi({
      openapi: "3.1.0",
      info: { title: "Any", version: "1" },
      paths: Object.fromEntries(paths),
      components: {
        schemas: {
          ReadOnly: { type: "integer", minimum: 1, readOnly: true },
          Plain: { type: "string", minLength: 1 },
        },
      },
    });
  });
