/** Generates documents whose request bodies require keys, in objects, combinations and unions. */
import fc from "fast-check";
import { type Json, type JsonObject, OpenApi } from "./document.ts";

const COUNT = 40;

type Version = "3.0.3" | "3.1.0";

/** The types of properties, by key, so that combined schemas do not contradict each other. */
const TYPES: Readonly<Record<string, JsonObject>> = {
  text: { type: "string" },
  count: { type: "integer" },
  flag: { type: "boolean" },
  fixed: { type: "boolean", enum: [true] },
  never: { type: "boolean", enum: [false] },
  word: { type: "string", enum: ["a", "b"] },
  time: { type: "string", format: "date-time" },
  list: { type: "array", items: { type: "string" } },
  map: { type: "object", additionalProperties: { type: "integer" } },
  inner: { type: "object", properties: { id: { type: "integer" } } },
  free: { type: "object" },
};
const UNDECLARED = ["gone", "lost-key"];

/** Returns a schema that also allows null, as the version of the document writes it. */
function nullable(schema: JsonObject, version: Version): JsonObject {
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  if (version === "3.0.3") return { ...schema, ...values, nullable: true };
  return { ...schema, ...values, type: [schema.type ?? "object", "null"] };
}

interface Drawn {
  readonly properties: JsonObject;
  readonly required: readonly string[];
}

/** Generates the properties of an object, and the keys that it requires. */
function drawn(version: Version, prefix: string): fc.Arbitrary<Drawn> {
  const property = fc.record({ key: fc.constantFrom(...Object.keys(TYPES)), isNullable: fc.boolean() });
  const properties = fc.uniqueArray(property, { selector: ({ key }) => key, minLength: 1, maxLength: 4 });
  return fc
    .tuple(properties, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
    .map(([chosen, isRequired]) => {
      const entries = chosen.map(({ key, isNullable }): [string, Json] => {
        const type = TYPES[key] ?? {};
        return [`${prefix}${key}`, isNullable ? nullable(type, version) : type];
      });
      const required = entries.flatMap(([key], index) => (isRequired[index] === true ? [key] : []));
      return { properties: Object.fromEntries(entries), required };
    });
}

function objectOf({ properties, required }: Drawn, more: readonly string[] = []): JsonObject {
  const all = [...required, ...more];
  return { type: "object", properties, ...(all.length === 0 ? {} : { required: all }) };
}

const undeclared = fc.subarray(UNDECLARED, { maxLength: 1 });

/** Generates the body of a request. */
function bodyOf(version: Version): fc.Arbitrary<JsonObject> {
  const first = drawn(version, "");
  const second = drawn(version, "b-");
  const keyword = fc.constantFrom("oneOf", "anyOf");
  const object = fc.tuple(first, undeclared).map(([each, more]) => objectOf(each, more));
  const combination = fc.tuple(first, second, undeclared).map(([a, b, more]): JsonObject => {
    // each part requires the keys of the other part
    const [own, other] = [
      objectOf({ ...a, required: b.required }),
      objectOf({ ...b, required: a.required }, more),
    ];
    return { allOf: [own, other] };
  });
  // alternatives with the same required keys, which cannot be distinguished
  const indistinct = fc
    .tuple(keyword, first, second, undeclared, undeclared)
    .map(([of, a, b, more, others]): JsonObject => {
      const optional = { ...b, properties: { ...a.properties, ...b.properties }, required: a.required };
      return { [of]: [objectOf(a, more), objectOf(optional, others)] };
    });
  const tags = fc.constantFrom<readonly [Json, Json]>([true, false], [false, true], ["x", "y"], [1, 2]);
  const discriminated = fc.tuple(keyword, tags, first, second, undeclared).map(
    ([of, [one, two], a, b, more]): JsonObject => ({
      [of]: [
        objectOf(
          { properties: { kind: tag(one), ...a.properties }, required: ["kind", ...a.required] },
          more,
        ),
        objectOf({ properties: { ...b.properties, kind: tag(two) }, required: [...b.required, "kind"] }),
      ],
    }),
  );
  const body = fc.oneof(object, combination, indistinct, discriminated);
  return fc.oneof(
    body,
    body.map((below) => ({ type: "object", required: ["below"], properties: { below } })),
    body.map((items) => ({ type: "object", properties: { items: { type: "array", items } } })),
  );
}

function tag(value: Json): Json {
  return { type: typeof value === "number" ? "integer" : typeof value, enum: [value] };
}

/** Generates documents with an operation for each body. */
export function demandingDocument(version: Version): fc.Arbitrary<OpenApi> {
  return fc.array(bodyOf(version), { minLength: COUNT, maxLength: COUNT }).map((bodies) => {
    const paths = bodies.map((schema, index): [string, Json] => {
      const requestBody: Json = { required: true, content: { "application/json": { schema } } };
      const post = { operationId: `send${index}`, requestBody, responses: { 204: { description: "" } } };
      return [`/path${index}`, { post }];
    });
    return new OpenApi({
      openapi: version,
      info: { title: "Any", version: "1" },
      paths: Object.fromEntries(paths),
      components: {},
    });
  });
}
