/** Draws values of known types under keys that a description lacks, and expects the types in suggestions. */

import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { type JsonValue, stringifyJson } from "connect-rest-codec/internal";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { compared, Projects, suggested } from "./described.ts";

/** The number of responses. */
const SAMPLES = 40;
/** The number of keys of a description. */
const KEYS = 40;

const FILE = "drawn/v1/drawn.proto";
const PROTO = `syntax = "proto3";
package drawn.v1;

import "connectrest/v1/annotations.proto";
import "google/api/annotations.proto";

service ThingService {
  option (connectrest.v1.service).upstream = "drawn";

  rpc GetThing(GetThingRequest) returns (Thing) {
    option (google.api.http) = {get: "/things/{id}"};
  }
}

message GetThingRequest {
  string id = 1;
}

message Thing {
  string id = 1;
  State state = 2;
  int32 size = 3;
}

enum State {
  STATE_UNSPECIFIED = 0;
  STATE_OPEN = 1 [(connectrest.v1.enum_value).wire = "open"];
  reserved 2;
}
`;

const projects = new Projects(`adapters: [./gen/drawn/v1/drawn_rest.ts]
upstreams: { drawn: { baseUrl: "https://drawn.example" } }
`);
afterAll(() => projects.remove());

/** A type, with a key that suits it, and a source of its values. */
interface Drawn {
  readonly key: string;
  readonly values: fc.Arbitrary<JsonValue>;
  /** The expected type and rules. `Message` stands for a new type. */
  readonly type: string;
}

const bigint = (min: bigint, max: bigint) => fc.bigInt({ min, max }) as fc.Arbitrary<JsonValue>;
const date = fc.date({ min: new Date("2002-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });
const word = fc.stringMatching(/^[a-z]{3,8}$/);
const text = fc.tuple(word, word).map((words) => words.join(" "));
const KEY_STYLES = [
  (name: string) => name,
  (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  (name: string) => name.replaceAll("_", "-"),
  (name: string) => `$${name}`,
  (name: string) => `${name}.x`,
  (name: string) => `${name} é`,
];

const SCALARS: readonly Omit<Drawn, "key">[] = [
  { values: fc.integer({ min: -1000, max: 100_000 }), type: "int32" },
  { values: bigint(2n ** 40n, 2n ** 50n), type: "int64" },
  { values: bigint(-(2n ** 63n), 2n ** 63n - 1n), type: "int64" },
  { values: bigint(2n ** 63n, 2n ** 64n - 1n), type: "uint64" },
  { values: fc.double({ min: 0.001, max: 1e6, noNaN: true }), type: "double" },
  { values: fc.boolean(), type: "bool" },
  { values: text, type: "string" },
  { values: bigint(10n ** 16n, 10n ** 17n).map(String), type: "int64" },
  { values: date.map((each) => each.toISOString()), type: "google.protobuf.Timestamp" },
  {
    values: date.map((each) => each.toISOString().slice(0, 19)),
    type: "google.protobuf.Timestamp coerce",
  },
  { values: date.map((each) => each.toUTCString()), type: "google.protobuf.Timestamp time" },
  {
    values: date.map((each) => each.toUTCString().replace("GMT", "+0000")),
    type: "google.protobuf.Timestamp time",
  },
  { values: date.map((each) => each.toISOString().slice(0, 10)), type: "string" },
];

const names = fc.tuple(fc.constantFrom(...KEY_STYLES), fc.array(word, { minLength: 2, maxLength: 3 }));
const keys = names.map(([style, words]) => style([...words, "zz"].join("_")));
const scalar = fc.tuple(keys, fc.constantFrom(...SCALARS)).map(([key, each]): Drawn => ({ key, ...each }));

/** Adds the types that contain other types. */
const drawn: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 1, arbitrary: scalar.map(listOf) },
  { weight: 1, arbitrary: scalar.map(mapOf) },
  {
    weight: 1,
    arbitrary: scalar.map(({ key, values }): Drawn => {
      const lists = fc.array(fc.array(values, { minLength: 1, maxLength: 3 }), {
        minLength: 1,
        maxLength: 2,
      });
      return { key, values: lists, type: "repeated Message unwrap" };
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(scalar, scalar).map(([{ key, values }, other]): Drawn => {
      const objects = fc.record({ first: values, second: other.values, [other.key]: fc.constant(true) });
      return { key, values: objects, type: "Message" };
    }),
  },
  {
    weight: 1,
    arbitrary: scalar.map(({ key }): Drawn => {
      const values = fc.oneof(
        text,
        fc.record({ a: fc.boolean(), b: text }),
        fc.array(fc.nat(100), { minLength: 1 }),
      );
      return { key, values, type: "Message" };
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(keys, fc.uniqueArray(word, { minLength: 2, maxLength: 3 }))
      .map(([key, words]): Drawn => {
        return { key, values: fc.constantFrom(...words), type: "Message" };
      }),
  },
  { weight: 1, arbitrary: keys.map(epoch) },
  {
    weight: 1,
    arbitrary: keys.map(
      (key): Drawn => ({
        key,
        values: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant("")),
        type: "int32 absent",
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: keys.map(
      (key): Drawn => ({
        key,
        values: fc.oneof(fc.record({ x: text, y: fc.boolean() }), fc.constant([])),
        type: "Message coerce",
      }),
    ),
  },
);

function listOf({ key, values, type }: Drawn): Drawn {
  return {
    key,
    values: fc.array(values, { minLength: 1, maxLength: 3 }),
    type: `repeated ${type}`,
  };
}

function mapOf({ key, values, type }: Drawn): Drawn {
  const ids = fc.nat().map((id) => String(id));
  return {
    key,
    values: fc.dictionary(ids, values, { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    // no rule describes the times in a map
    type: type.endsWith(" time")
      ? "map<string, Message> unwrap"
      : `map<string, ${type.replace(/^\S+/, "$&>")}`,
  };
}

function epoch(key: string): Drawn {
  const values = fc.integer({ min: 1_000_000_000, max: 2_000_000_000 });
  return { key: `${key}_at`, values, type: "google.protobuf.Timestamp time" };
}

/** Returns the type and the rules of the field that reads a key. */
function declarationOf(source: string, key: string): string {
  const flat = source.replaceAll(/\{\n\s+(?=\w+: )|\n\s+(?=\w+: |\}\])/g, " ");
  const declared = [...flat.matchAll(/^ {2}(\S.*?) (\w+) = \d+(.*);$/gm)].map(
    ([, type = "", name = "", rules = ""]) => {
      const [, wire = name] = /name[ =:]+("(?:[^"\\]|\\.)*")/.exec(rules) ?? [];
      return { type, rules, name: wire.startsWith('"') ? String(JSON.parse(wire)) : name };
    },
  );
  const found = declared.find(({ name }) => name === key || protoCamelCase(name) === key);
  const rules = [...(found?.rules ?? "").matchAll(/\b(?:coerce|absent|unwrap|time)\b/g)].map(
    ([name]) => name,
  );
  const type = found?.type.replace(/^optional /, "").replaceAll(/(?<![\w.])[A-Z]\w*/g, "Message");
  return [type, ...rules].join(" ");
}

test("property: drawn types are suggested, and then no difference remains", {
  timeout: 120_000,
}, async () => {
  const types = fc.uniqueArray(drawn, {
    minLength: KEYS,
    maxLength: KEYS,
    selector: ({ key }) => key.replaceAll(/\W|_/g, "").toLowerCase(),
  });
  const bodies = types.chain((all) => {
    const values = all.map(({ values: each }) =>
      fc.array(fc.option(each, { freq: 5, nil: undefined }), { minLength: SAMPLES, maxLength: SAMPLES }),
    );
    return fc.tuple(fc.constant(all), fc.tuple(...values));
  });
  const property = fc.asyncProperty(fc.nat(), async (seed) => {
    const [[all, values] = [[], []]] = fc.sample(bodies, { seed, numRuns: 1 });
    const entries = Array.from({ length: SAMPLES }, (_, index) => {
      const members = all.flatMap(({ key }, at) => {
        const value = values[at]?.[index];
        return value === undefined ? [] : [[key, value] as const];
      });
      return entryOf(Object.fromEntries([["id", "1"], ...members]));
    });
    const sources = { [FILE]: PROTO };
    const { sources: patched, open } = await suggested(projects.generate(sources), entries, sources);
    const source = patched[FILE] ?? "";
    expect(open).toEqual([]);
    const declared = all.map(({ key }) => [key, declarationOf(source, key)]);
    expect(declared).toEqual(all.map(({ key, type }) => [key, type]));
    const { findings } = (await compared(projects.generate(patched), entries)).verification;
    expect(findings, source).toEqual([]);
  });
  await fc.assert(property, { numRuns: 10, endOnFailure: true });
});

/** Returns the suggestion for bodies. */
async function suggestedFor(bodies: readonly JsonValue[], hasPlaceholders = false) {
  const sources = { [FILE]: PROTO };
  const entries = bodies.map((body) => ({
    ...entryOf(body),
    ...(hasPlaceholders && { _placeholders: true }),
  }));
  const result = await suggested(projects.generate(sources), entries, sources);
  return { ...result, source: result.sources[FILE] ?? "" };
}

test("an unknown spelling becomes an enum value, unless it is a placeholder or another spelling", {
  timeout: 60_000,
}, async () => {
  const { source, open } = await suggestedFor([
    { state: "in-review" },
    { state: "in-review" },
    { state: "OPEN" },
  ]);
  expect(source).toContain(`
  // Seen in 2 responses.
  STATE_IN_REVIEW = 3 [(connectrest.v1.enum_value).wire = "in-review"];
  reserved 2;
}`);
  expect(open).toEqual([{ declaration: "drawn.v1.State", reason: expect.stringContaining("`aliases`") }]);
  const private_ = await suggestedFor([{ state: "xq-abcdef" }], true);
  expect(private_.source).toBe(PROTO);
  expect(private_.open).toEqual([
    { declaration: "drawn.v1.State", reason: expect.stringContaining("placeholders") },
  ]);
});

test("types of fields, and names in requests, are listed and not patched", { timeout: 60_000 }, async () => {
  const { source, open } = await suggestedFor([{ size: 2 ** 40 }, { size: "many" }]);
  expect(source).toBe(PROTO);
  expect(open).toEqual([
    { declaration: "drawn.v1.Thing.size", reason: expect.stringContaining("callers depend on the type") },
    { declaration: "drawn.v1.Thing.size", reason: expect.stringContaining("callers depend on the type") },
  ]);
});

test("keys that differ only in their spelling become different fields", { timeout: 60_000 }, async () => {
  const body = { some_key: 1, someKey: "a", "some-key": true, Id: [], STATE: 0.5 };
  const { sources, open } = await suggestedFor([body]);
  expect(open).toEqual([]);
  const { verification } = await compared(projects.generate(sources), [entryOf(body)]);
  expect(verification.findings).toEqual([]);
});

function entryOf(body: JsonValue) {
  const content = { size: 0, mimeType: "application/json", text: stringifyJson(body) };
  return {
    request: { method: "GET", url: "https://drawn.example/things/1", headers: [] },
    response: { status: 200, headers: [], content },
  };
}
