/** Checks that every rule of a field, in every place, changes the generated code or is reported. */
import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  EnumValueRulesSchema,
  FieldRulesSchema,
  MaskSchema,
  OneofRulesSchema,
  SourceSchema,
  TimeSchema,
} from "../../plugin/src/gen/connectrest/v1/field_rules_pb.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";
import { caseOfRule, type RuleCase, silentCases } from "./rule-effects.ts";

const TYPES = [
  "string",
  "bool",
  "int64",
  "bytes",
  "Kind",
  "Inner",
  "repeated string",
  "repeated int64",
  "repeated Inner",
  "map<string, string>",
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
  "google.protobuf.Int64Value",
  "google.protobuf.Struct",
  "google.protobuf.Value",
  "google.protobuf.ListValue",
  "google.protobuf.FieldMask",
  "Row",
  "Dictionary",
] as const;

/** Rules that are not defaults. `«»` encloses the tested rule; the remaining rules are required by it. */
const RULES = [
  '«name: "other"»',
  '«aliases: "other"»',
  "«style: REPEAT»",
  "«style: BRACKETS»",
  "«style: INDEXED»",
  "«style: COMMA»",
  "«style: SPREAD»",
  '«from: {header: "X-A"}»',
  "«from: {status: 404}»",
  '«from: {path: "a.b"}»',
  'from: {header: "Link" «rel: "next"»}',
  'from: {path: "a.b"} «from: {path: "c"}»',
  'from: {path: "a.b"}, «name: "other"»',
  'from: {path: "a.b"}, «aliases: "other"»',
  "«time: {unit: SECONDS}»",
  'time: {unit: FORMAT «format: "YYYY"»}',
  "time: {unit: ISO_8601 «rounding: UP»}",
  'time: {unit: SECONDS «none: "0"»}',
  "«unwrap: true»",
  "«unknown: true»",
  'unknown: true, «name: "other"»',
  "«redact: true»",
  "«number: true»",
  "«number: false»",
  "«bytes: RAW»",
  "«bytes: BASE64URL»",
  "«encoding: PERCENT»",
  "«encoding: RFC_8187»",
  '«when: {values: "a"}»',
  "«piece: CONTENT»",
  "«coerce: true»",
  '«mask: {of: "id"}»',
  "«mask: {unset: EMPTY}»",
  '«absent: "N/A"»',
  "«json_text: true»",
  "json_text: true, «number: true»",
  "json_text: true, «style: COMMA»",
  "json_text: true, «coerce: true»",
] as const;

/** Oneof layouts, for a member that has the rule. */
const MEMBERS: Readonly<Record<string, string>> = {
  "member by key": "",
  "flattened member": 'option (connectrest.v1.oneof).discriminator = "t";',
  "nested member": 'option (connectrest.v1.oneof) = {discriminator: "t", layout: NESTED};',
  "member beside": 'option (connectrest.v1.oneof) = {discriminator: "t", layout: BESIDE, payload: "p"};',
};

/** The rule text that puts a field in each of these request locations. */
const PLACED: Readonly<Record<string, string>> = {
  header: 'in: HEADER, name: "X-P"',
  cookie: "in: COOKIE",
  nothing: "in: NOTHING",
};

const PLACES = [
  ...["query", "body", "nested body", "form", "multipart", ...Object.keys(PLACED)],
  ...["response", "nested response", "both directions"],
  ...["item of a tuple", "item of a tuple, response", "further items", "further items, response"],
  ...Object.keys(MEMBERS),
];

interface Combination {
  readonly type: string;
  readonly rule: string;
  readonly place: string;
}

/** The rules that fields in these places already have. */
const GIVEN = [
  ["header", "name:"],
  ["further items", "unknown:"],
] as const;

const COMBINATIONS: readonly Combination[] = PLACES.flatMap((place) =>
  TYPES.filter((type) => isPossible(type, place)).flatMap((type) =>
    RULES.filter((rule) => !GIVEN.some(([at, given]) => place.startsWith(at) && rule.includes(given))).map(
      (rule) => ({
        type,
        rule,
        place,
      }),
    ),
  ),
);

function isPossible(type: string, place: string): boolean {
  if (place.startsWith("further")) return type.startsWith("repeated");
  return !(place in MEMBERS && /^(?:repeated|map)/.test(type));
}

const BODIES: Readonly<Record<string, string>> = {
  body: "",
  "item of a tuple": "",
  "further items": "",
  "nested body": "",
  "both directions": "",
  form: "option (connectrest.v1.method).request_encoding = FORM;",
  multipart: "option (connectrest.v1.method).request_encoding = MULTIPART;",
};

function sourceOf(place: string, type: string, rule: string): string {
  const [isItem, isFurther] = [/tuple/.test(place), /further/.test(place)];
  const rules = [PLACED[place], isFurther ? "unknown: true" : "", rule]
    .filter((each) => each?.trim())
    .join(", ");
  const field = `${type} x = ${isFurther ? 2 : 1} [(connectrest.v1.field) = {${rules}}];`;
  const encoding = BODIES[place];
  const verb = encoding === undefined ? 'get: "/a"' : 'post: "/a" body: "*"';
  const layout = MEMBERS[place];
  const held = layout === undefined ? field : `oneof o { ${layout} ${field} Other other = 8; }`;
  const isInResponse = place === "response" || layout !== undefined;
  const holds = (...places: readonly string[]) => (places.includes(place) ? "Holder holder = 1;" : "");
  const isHeld = /nested|both/.test(place) || isItem || isFurther;
  const tuple = isItem || isFurther ? "option (connectrest.v1.message).tuple = true;" : "";
  const id = isFurther ? 1 : isItem ? 2 : 9;
  return `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {${verb}}; ${encoding ?? ""} } }
message Req { ${isInResponse || isHeld ? holds("nested body", "both directions", "item of a tuple", "further items") : field} string id = 9; }
message Res { ${isInResponse ? held : holds("nested response", "both directions", "item of a tuple, response", "further items, response")} string id = 9; }
message Holder { ${tuple} ${isHeld ? field : ""} string id = ${id}; }
message Inner { string n = 1; }
message Other { string m = 1; }
message Row { repeated string items = 1; }
message Dictionary { map<string, string> items = 1; }
enum Kind { NONE = 0; ONE = 1; }`;
}

function caseOf({ place, type, rule }: Combination): RuleCase {
  return caseOfRule(`${place}, ${type}, ${rule}`, rule, (text) => sourceOf(place, type, text));
}

/** Rules of a oneof and of a value of an enum, by the part of the source that has them. */
const ELEMENTS: ReadonlyArray<readonly [element: "oneof" | "value", rule: string]> = [
  ["oneof", '«discriminator: "t"»'],
  ["oneof", 'discriminator: "t" «layout: FLATTENED»'],
  ["oneof", 'discriminator: "t" «layout: NESTED»'],
  ["oneof", 'discriminator: "t" layout: BESIDE «payload: "p"»'],
  ["oneof", 'discriminator: "t" «fallback: "b"»'],
  ["oneof", "«layout: UNWRAPPED»"],
  ["value", '«wire: "one"»'],
  ["value", '«aliases: "first"»'],
];

const ELEMENT_CASES: readonly RuleCase[] = ["request", "form", "response", "both"].flatMap((direction) =>
  ELEMENTS.map(([element, rule]) =>
    caseOfRule(`${direction}, ${element}, ${rule}`, rule, (text) => {
      const holds = (...directions: readonly string[]) =>
        directions.includes(direction) ? "Holder holder = 1;" : "";
      const ruleOf = (name: "oneof" | "value") => (name === element ? text : "");
      const form = direction === "form" ? "option (connectrest.v1.method).request_encoding = FORM;" : "";
      return `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {post: "/a" body: "*"}; ${form} } }
message Req { ${holds("request", "form", "both")} string id = 9; }
message Res { ${holds("response", "both")} string id = 9; }
message Holder { oneof o { option (connectrest.v1.oneof) = {${ruleOf("oneof")}}; A a = 1; B b = 2; } Kind kind = 3; }
message A { string n = 1; }
message B { string m = 1; }
enum Kind { NONE = 0; ONE = 1 [(connectrest.v1.enum_value) = {${ruleOf("value")}}]; }`;
    }),
  ),
);

/** Rules that may change nothing, with the reason. */
const EXCEPTIONS: ReadonlyArray<readonly [rule: RegExp, reason: string]> = [
  [/«redact: true»/, "the runtime reads the option from the descriptor"],
  [
    /«(?:number: false|style: REPEAT|layout: FLATTENED)»/,
    "states the default, so that readers see it or a field overrides its service",
  ],
];

/** The messages whose fields the rules above set. */
const OPTIONS: readonly DescMessage[] = [
  FieldRulesSchema,
  SourceSchema,
  TimeSchema,
  MaskSchema,
  OneofRulesSchema,
  EnumValueRulesSchema,
];

test("every rule of fields, oneofs and enum values has a case", () => {
  const names = [...RULES, ...Object.values(PLACED), ...ELEMENTS.map(([, rule]) => rule)].flatMap((rule) =>
    Array.from(rule.matchAll(/(\w+):/g), ([, name]) => name),
  );
  const all = OPTIONS.flatMap(({ fields }) => fields.map(({ name }) => name));
  expect(all.filter((name) => !names.includes(name))).toEqual([]);
});

test("property: a rule of a field, a oneof or an enum value changes the generated code, or is reported", () => {
  const cases = [...COMBINATIONS.map(caseOf), ...ELEMENT_CASES];
  const silent = silentCases(cases.filter(({ name }) => !EXCEPTIONS.some(([rule]) => rule.test(name))));
  expect(silent).toEqual([]);
}, 300_000);

/** Methods of every kind, with the way in which each one reads its responses. */
const METHODS: Readonly<Record<string, string>> = {
  unary: "returns (Res) { HTTP }",
  pages:
    'returns (stream Item) { HTTP option (connectrest.v1.method).paginate = {items: "items", link: "next"}; }',
  records: "returns (stream Item) { HTTP option (connectrest.v1.method).records = {format: LINES}; }",
  poll: 'returns (stream Item) { HTTP option (connectrest.v1.method).poll = {items: "items", key: "id", interval: {seconds: 1}}; }',
  operation: "returns (Res) { HTTP option (connectrest.v1.method).operation = {}; }",
  states:
    'returns (stream Item) { HTTP option (connectrest.v1.method).operation = {done: {key: "id", present: true}}; }',
  download: 'returns (stream File) { HTTP option (connectrest.v1.method).download = {chunk: "data"}; }',
};

test.each(Object.entries(METHODS))(
  "response_body of a method changes the generated code, or is reported: %s",
  (name, method) => {
    const field = /Item\)/.test(method) ? "item" : name === "download" ? "data" : "items";
    const one = caseOfRule(name, `get: "/a" «response_body: "${field}"»`, (rules) => {
      const option = `option (google.api.http) = {${rules}};`;
      return `service S { rpc Get(Req) ${method.replace("HTTP", option)} }
message Req { int32 n = 1; }
message Res { repeated Item items = 1; string next = 2; }
message Item { string id = 1; Res item = 2; }
message File { bytes data = 1; }`;
    });
    expect(runGenerator(compileRequest({ "a.proto": HEAD + one.without })).error).toBe("");
    expect(silentCases([one])).toEqual([]);
  },
);

test("a rule in a file without services is not reported, because methods of another run may use the message", () => {
  const request = compileRequest({
    "service.proto": `${HEAD}import "shared.proto";
service S { rpc Get(Shared) returns (Res) { option (google.api.http) = {get: "/a"}; } }
message Res {}`,
    "shared.proto": `${HEAD}message Shared { string x = 1 [(connectrest.v1.field).aliases = "y"]; }`,
  });
  expect(runGenerator(request).error).toBe("");
});

test("unwrap of a field in a parameter with brackets is not reported, because the names depend on it", () => {
  const one = caseOfRule("brackets", "«unwrap: true»", (rules) => {
    return `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; option (connectrest.v1.method).http = {nesting: BRACKETS}; } }
message Req { map<string, Holder> holders = 1; }
message Holder { Row row = 1 [(connectrest.v1.field) = {${rules}}]; }
message Row { repeated string cells = 1; }
message Res {}`;
  });
  expect(runGenerator(compileRequest({ "a.proto": HEAD + one.source })).error).toBe("");
  expect(silentCases([one])).toEqual([]);
});
