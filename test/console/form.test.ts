/** Tests the console's form: every message can be shown in it, and is read back from it unchanged. */
import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import {
  AnySchema,
  DurationSchema,
  FieldMaskSchema,
  file_google_protobuf_wrappers,
  ListValueSchema,
  StructSchema,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  caseOf,
  controlOf,
  type Element,
  elementOf,
  fieldValue,
  initialValue,
  read,
  shown,
  withCase,
  withFieldValue,
} from "../../console/src/element.ts";
import { expectedFor } from "../../console/src/expected.ts";
import { isObject, parseJson, pathText } from "../../console/src/json.ts";
import { problemsOf } from "../../console/src/problems.ts";
import { requestOf } from "../../console/src/request-of.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";
import { ALL_SERVICES, consoleSchema } from "./schema.ts";

const schema = await consoleSchema();
const METHODS = ALL_SERVICES.flatMap(({ methods }) => methods);
const MESSAGES = [...new Set(METHODS.flatMap(({ input, output }) => [input, output]))];

/** The type of a google.protobuf.Any must be known, and the responses of no method have one. */
const NO_ANY = { "google.api.HttpBody.extensions": fc.constant([]) };

/** Reads a value back from the texts in its inputs, as the form does. */
function readBack(element: Element, value: JsonValue): JsonValue {
  const { message } = element;
  return message !== undefined && controlOf(element) === "message" && isObject(value)
    ? readMessage(message, value)
    : read(element, shown(element, value));
}

function readMessage(desc: DescMessage, json: JsonObject): JsonObject {
  return desc.fields.reduce<JsonObject>((result, field) => {
    const value = fieldValue(field, json);
    return value === undefined ? result : withFieldValue(result, field, readField(field, value));
  }, {});
}

function readField(field: DescField, value: JsonValue): JsonValue {
  const element = elementOf(field);
  if (Array.isArray(value) && field.fieldKind === "list") return value.map((item) => readBack(element, item));
  if (isObject(value) && field.fieldKind === "map") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readBack(element, item)]));
  }
  return readBack(element, value);
}

test.each(MESSAGES.map((desc) => [desc.typeName, desc] as const))(
  "a form shows any %s, and reads the same message back",
  (_name, desc) => {
    fc.assert(
      fc.property(arbitraryMessage(desc, NO_ANY), (message) => {
        const json = toJson(desc, message) as JsonObject;
        const back = readMessage(desc, parseJson(JSON.stringify(json)) as JsonObject);
        expect(fromJson(desc, back)).toEqual(fromJson(desc, json));
        expect(problemsOf(schema, desc, json).filter(({ isFatal }) => isFatal)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  },
);

const WRAPPERS = file_google_protobuf_wrappers.messages;

const TYPES: readonly (readonly [string, DescMessage])[] = [
  ...[TimestampSchema, DurationSchema, FieldMaskSchema, StructSchema, ListValueSchema, ...WRAPPERS].map(
    (message) => [message.typeName, message] as const,
  ),
];

const text = fc.oneof(
  fc.string(),
  fc.constantFrom("1", "-1", "01", "1.0", "1.5", "1e3", " 1", "0x1", "NaN", "Infinity", "true", "AAAA", "_-"),
  fc.constantFrom(
    "2026-01-31T12:00:00Z",
    "2026-13-31T12:00:00Z",
    "0000-01-01T00:00:00Z",
    "1s",
    "-1.5s",
    "1",
    "s",
  ),
  fc.bigInt(-(2n ** 65n), 2n ** 65n).map(String),
);
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 31, 2 ** 32, -1, 2 ** 64, 1e300));
const json: fc.Arbitrary<JsonValue> = fc.oneof(
  text,
  number.filter(Number.isFinite),
  fc.boolean(),
  fc.constant<JsonValue>([]),
  fc.constant<JsonValue>({}),
);

/** Returns whether protobuf-es accepts the ProtoJSON of a value. */
function isAccepted(message: DescMessage, value: JsonValue): boolean {
  try {
    fromJson(message, value);
    return true;
  } catch {
    return false;
  }
}

test.each(TYPES)("the form accepts the same values of type %s as protobuf", (_name, message) => {
  fc.assert(
    fc.property(json, (value) => {
      expect(expectedFor({ message }, value) === undefined).toBe(isAccepted(message, value));
    }),
    { numRuns: 300 },
  );
});

test("a problem is placed at its field, however deeply nested", () => {
  const place = (method: string, message: JsonValue) => {
    const desc = schema.method(method);
    if (desc === undefined) throw new Error(`${method} is unknown`);
    return problemsOf(schema, desc.input, message).map(
      ({ path, text: problem }) => `${pathText(path)}: ${problem}`,
    );
  };
  expect(place("blog.v1.BlogService/GetBlogInfo", { blogIdentifier: 1, fields: ["a", 2], other: 0 })).toEqual(
    [
      'other: GetBlogInfoRequest has no field "other"',
      "blogIdentifier: expected a text",
      "fields[1]: expected a text",
    ],
  );
  expect(place("blog.v1.BlogService/ListLikes", { blog_identifier: "a", limit: 1e10 })).toEqual([
    "limit: expected an integer from -2147483648 to 2147483647",
  ]);
  expect(place("blog.v1.PostService/CreatePost", { content: [{ text: { text: true } }, null] })).toEqual([
    "content[0].text.text: expected a text",
    "content[1]: expected an object",
  ]);
});

test("integers in JSON keep all of their digits", () => {
  expect(parseJson('{"id": 735000000000063569, "ids": [9007199254740993, 1], "x": 1.5}')).toEqual({
    id: "735000000000063569",
    ids: ["9007199254740993", 1],
    x: 1.5,
  });
});

test("JSON that names fields as in the .proto file keeps its names", () => {
  const desc = schema.method("blog.v1.BlogService/GetBlogInfo")?.input;
  const field = desc?.field.blogIdentifier;
  if (field === undefined) throw new Error("there is no such field");
  expect(fieldValue(field, { blog_identifier: "a" })).toBe("a");
  expect(withFieldValue({ blog_identifier: "a" }, field, "b")).toEqual({ blog_identifier: "b" });
  expect(withFieldValue({ blog_identifier: "a" }, field, undefined)).toEqual({});
});

test("the choice of a oneof sets exactly one of its fields", () => {
  const oneofs = MESSAGES.flatMap(({ oneofs: all }) => all);
  expect(oneofs.length).toBeGreaterThan(0);
  for (const oneof of oneofs) {
    for (const first of oneof.fields) {
      for (const second of [...oneof.fields, undefined]) {
        const chosen = withCase(withCase({}, oneof, first), oneof, second);
        expect(caseOf(oneof, chosen)).toBe(second);
        fromJson(oneof.parent, chosen);
      }
    }
  }
});

test("a new item of each type is a valid value", () => {
  for (const [, message] of TYPES) {
    expect(expectedFor({ message }, initialValue({ message }))).toBeUndefined();
  }
  expect(initialValue({ message: AnySchema })).toEqual({});
});

test.each(METHODS.map((method) => [`${method.parent.typeName}/${method.name}`, method.input] as const))(
  "the first request of %s is ProtoJSON of its message",
  (path, input) => {
    const method = schema.method(path);
    expect(method && requestOf(schema, method)).toBeDefined();
    if (method === undefined) return;
    const { registry } = schema;
    const request = requestOf(schema, method);
    expect(toJson(method.input, fromJson(method.input, request, { registry }), { registry })).toEqual(
      toJson(input, fromJson(input, request)),
    );
    expect(create(input)).toBeDefined();
  },
);
