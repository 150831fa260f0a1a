/** Names the fields of random requests in the notations of many frameworks, and compares the violations. */
import { create, createFileRegistry, type DescMessage, setExtension } from "@bufbuild/protobuf";
import {
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import type { JsonValue } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ErrorShape } from "../adapter/rules.ts";
import { field as rules } from "../gen/connectrest/v1/annotations_pb.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.ts";
import { readErrorBody } from "./error-body.ts";

/** A field of a random request. */
interface Shape {
  readonly word: string;
  /** The style of the name on the wire: the JSON name, the declared name, or a name that a rule sets. */
  readonly style: "json" | "declared" | "word" | "brackets" | "dots";
  readonly isList: boolean;
  readonly fields: readonly Shape[];
}

/** A field of a request, with the keys and indices on the wire. */
interface Place {
  readonly path: string;
  readonly steps: ReadonlyArray<string | number>;
}

/** Returns fields with messages of at most this depth. */
function fieldsOfDepth(depth: number): fc.Arbitrary<Shape[]> {
  const shape = fc.record({
    word: fc.constantFrom("title", "author", "line", "price", "name", "item", "code", "message"),
    style: fc.constantFrom(
      "json" as const,
      "declared" as const,
      "word" as const,
      "brackets" as const,
      "dots" as const,
    ),
    isList: fc.boolean(),
    fields: depth === 0 ? fc.constant([]) : fieldsOfDepth(depth - 1),
  });
  return fc.uniqueArray(shape, { maxLength: 3, selector: ({ word }) => word });
}

const REQUEST = fieldsOfDepth(3).filter((fields) => fields.length > 0);

function nameOf({ word }: Shape, index: number): string {
  return `${word}_of_${"abcd"[index]}`;
}

function wireOf(each: Shape, index: number): string {
  const name = nameOf(each, index);
  switch (each.style) {
    case "json":
      return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    case "declared":
      return name;
    case "word":
      return each.word;
    case "brackets":
      return `${each.word}[${"abcd"[index]}]`;
    case "dots":
      return `${each.word}.${"abcd"[index]}`;
  }
}

/** Returns the descriptor of a request. */
function messageOf(fields: readonly Shape[]): DescMessage {
  const messages: Array<{ name: string; field: ReturnType<typeof fieldOf>[] }> = [];
  const add = (own: readonly Shape[]): string => {
    const name = `M${messages.length}`;
    const message = { name, field: [] as ReturnType<typeof fieldOf>[] };
    messages.push(message);
    own.forEach((each, index) => {
      const type = each.fields.length === 0 ? undefined : add(each.fields);
      message.field.push(fieldOf(each, index, type));
    });
    return name;
  };
  add(fields);
  const file = create(FileDescriptorProtoSchema, {
    name: "r.proto",
    package: "r",
    syntax: "proto3",
    messageType: messages,
  });
  const found = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getMessage("r.M0");
  if (found === undefined) throw new Error("no message");
  return found;
}

function fieldOf(each: Shape, index: number, type: string | undefined) {
  const options = create(FieldOptionsSchema);
  const name = each.style === "json" || each.style === "declared" ? "" : wireOf(each, index);
  if (name !== "") setExtension(options, rules, create(FieldRulesSchema, { name }));
  return create(FieldDescriptorProtoSchema, {
    name: nameOf(each, index),
    number: index + 1,
    label: each.isList ? Label.REPEATED : Label.OPTIONAL,
    options,
    ...(type === undefined ? { type: Type.STRING } : { type: Type.MESSAGE, typeName: `.r.${type}` }),
  });
}

/** Returns the fields without fields below them. Indices alternate between 0 and 1. */
function placesOf(fields: readonly Shape[], path = "", steps: Place["steps"] = []): Place[] {
  return fields.flatMap((each, index) => {
    const at = index % 2;
    const name = `${path === "" ? "" : `${path}.`}${nameOf(each, index)}`;
    const own = [...steps, wireOf(each, index)];
    const item = each.isList ? { path: `${name}[${at}]`, steps: [...own, at] } : { path: name, steps: own };
    return each.fields.length === 0 ? [item] : placesOf(each.fields, item.path, item.steps);
  });
}

/** Returns a tree with a value at each place. Lists are arrays, or objects with indices as keys. */
function treeOf(places: readonly Place[], error: JsonValue, isPositional: boolean): JsonValue {
  const root = new Map<string | number, unknown>();
  for (const { steps } of places) {
    let node = root;
    steps.forEach((step, index) => {
      const below = node.get(step);
      const next = below instanceof Map ? below : new Map<string | number, unknown>();
      node.set(step, index === steps.length - 1 ? error : next);
      node = next;
    });
  }
  return jsonOf(root, isPositional);
}

function jsonOf(node: unknown, isPositional: boolean): JsonValue {
  if (!(node instanceof Map)) return node as JsonValue;
  const entries = [...node].map(([key, below]) => [key, jsonOf(below, isPositional)] as const);
  if (isPositional && entries.every(([key]) => typeof key === "number")) {
    const list: JsonValue[] = [{}, {}];
    // a bare error in a list concerns the whole list, so the errors of an item are a list or a tree
    for (const [key, below] of entries) {
      list[Number(key)] = node.get(key) instanceof Map || Array.isArray(below) ? below : [below];
    }
    return list;
  }
  return Object.fromEntries(entries);
}

type Steps = Place["steps"];
const dotted = (steps: Steps) => steps.join(".");
const bracketed = ([first, ...others]: Steps) => `${first}${others.map((step) => `[${step}]`).join("")}`;
const mixed = (steps: Steps) =>
  steps.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    return text === "" ? step : `${text}.${step}`;
  }, "");
const pointer = (steps: Steps) => steps.map((step) => `/${step}`).join("");

/** The notations of errors in bodies: the error at each place, without and with a rule for `errors`. */
const NOTATIONS: Readonly<Record<string, (places: readonly Place[], error: JsonValue) => JsonValue>> = {
  "a tree": (places, error) => ({ errors: treeOf(places, error, false) }),
  "a tree with lists by position": (places, error) => ({ errors: treeOf(places, error, true) }),
  "a tree below an object that stands for the request": (places, error) => ({
    errors: { body: treeOf(places, error, true) },
  }),
  "dotted keys": (places, error) => ({ errors: flat(places, error, dotted) }),
  "keys with brackets": (places, error) => ({ errors: flat(places, error, bracketed) }),
  "keys with indices in brackets": (places, error) => ({ errors: flat(places, error, mixed) }),
  "JSONPath keys": (places, error) => ({ errors: flat(places, error, (steps) => `$.${mixed(steps)}`) }),
  "JSON pointers": (places) => ({
    errors: places.map(({ steps }) => ({
      detail: "is wrong",
      source: { pointer: `/data/attributes${pointer(steps)}` },
    })),
  }),
  "lists of steps": (places) => ({
    detail: places.map(({ steps }) => ({ loc: ["body", ...steps], msg: "is wrong" })),
  }),
  "names in items": (places) => ({
    errors: places.map(({ steps }) => ({ field: mixed(steps), message: "is wrong" })),
  }),
};

function flat(places: readonly Place[], error: JsonValue, keyOf: (steps: Steps) => string): JsonValue {
  return Object.fromEntries(places.map(({ steps }) => [keyOf(steps), error]));
}

function fieldsOf(body: JsonValue, input: DescMessage, shapes: readonly ErrorShape[] = []): string[] {
  const { details = [] } = readErrorBody(body, shapes, undefined, input);
  const [detail] = details;
  if (detail === undefined || "type" in detail) return [];
  return create(BadRequestSchema, detail.value).fieldViolations.map(({ field }) => field);
}

const OBJECT = { code: "WRONG", message: "is wrong" };
const ERRORS: readonly JsonValue[] = ["is wrong", ["is wrong"], OBJECT, [OBJECT]];

test.each(Object.entries(NOTATIONS))("property: errors as %s name the fields of a request", (_, bodyOf) => {
  fc.assert(
    fc.property(REQUEST, fc.constantFrom(...ERRORS), (fields, error) => {
      const places = placesOf(fields).slice(0, 40);
      const body = bodyOf(places, error);
      const expected = places.map(({ path }) => path).sort();
      expect(fieldsOf(body, messageOf(fields)).sort(), JSON.stringify(body)).toEqual(expected);
    }),
    { numRuns: 200 },
  );
});

const BOOK = messageOf([
  { word: "name", style: "json", isList: false, fields: [] },
  {
    word: "book",
    style: "word",
    isList: false,
    fields: [
      { word: "title", style: "word", isList: false, fields: [] },
      {
        word: "lines",
        style: "word",
        isList: true,
        fields: [{ word: "code", style: "word", isList: false, fields: [] }],
      },
    ],
  },
]);

test.each<readonly [string, string, JsonValue]>([
  ["a field of the body", "book_of_b.title_of_a", { title: ["is wrong"] }],
  ["a field with another case", "book_of_b.lines_of_b[2].code_of_a", { "Lines[2].Code": ["is wrong"] }],
  [
    "a declared field named like a key of errors",
    "book_of_b.lines_of_b[0].code_of_a",
    { lines: [{ code: "x" }] },
  ],
  [
    "an undeclared field of a declared one",
    "book_of_b.lines_of_b[0].color.rgb",
    { "book.lines.0.color.rgb": ["x"] },
  ],
  ["an undeclared field", "author.names", { author: { names: [{ message: "x" }, "y"] } }],
  ["the whole of an object", "book_of_b", { book: { _errors: ["x"] } }],
])("%s is named %s", (_, name, errors) => {
  const found = fieldsOf({ errors }, BOOK);
  expect(found[0]).toBe(name);
});

test("a rule for items reads all notations of a field", () => {
  const shape: ErrorShape = { kind: "items", path: "why", title: "t", code: "c", detail: "d", field: "at" };
  const why = ["/book/lines/0/code", "$.book.lines[0].code", ["book", "lines", 0, "code"], "lines[0][code]"];
  const body = { why: why.map((at) => ({ t: "is wrong", at })) };
  expect([...new Set(fieldsOf(body, BOOK, [shape]))]).toEqual(["book_of_b.lines_of_b[0].code_of_a"]);
});
