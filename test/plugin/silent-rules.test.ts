/** Checks that every rule of a field, in every place, changes the generated code or is reported. */
import { expect, test } from "vitest";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { sampleOf } from "../sample-of.ts";
import { runGenerator } from "../support/run-generator.ts";

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

/** Rules that are not defaults. */
const RULES = [
  'name: "other"',
  'aliases: "other"',
  "style: BRACKETS",
  "style: COMMA",
  "style: SPREAD",
  'from: {header: "X-A"}',
  "from: {status: 404}",
  'from: {path: "a.b"}',
  'from: {header: "X-A", rel: "next"}',
  "time: {unit: SECONDS}",
  "time: {unit: ISO_8601, rounding: UP}",
  'time: {unit: SECONDS, none: "0"}',
  "unwrap: true",
  "unknown: true",
  "number: true",
  "bytes: RAW",
  'when: {values: "a"}',
  "piece: CONTENT",
  "coerce: true",
  'absent: "N/A"',
  "json_text: true",
] as const;

/** Oneof layouts, for a member that has the rule. */
const MEMBERS: Readonly<Record<string, string>> = {
  "member by key": "",
  "flattened member": 'option (connectrest.v1.oneof).discriminator = "t";',
  "nested member": 'option (connectrest.v1.oneof) = {discriminator: "t", layout: NESTED};',
  "member beside": 'option (connectrest.v1.oneof) = {discriminator: "t", layout: BESIDE, payload: "p"};',
};

const PLACES = [
  "query",
  "body",
  "form",
  "header",
  "nothing",
  "response",
  "nested response",
  ...Object.keys(MEMBERS),
];
interface Combination {
  readonly type: string;
  readonly rule: string;
  readonly place: string;
}

const COMBINATIONS: readonly Combination[] = PLACES.flatMap((place) =>
  TYPES.filter((type) => !(place in MEMBERS && /^(?:repeated|map)/.test(type))).flatMap((type) =>
    RULES.map((rule) => ({ type, rule, place })),
  ),
);

/** The number of combinations that `npm test` tries. */
const SAMPLES = 160;

/**
 * Rules that affect only responses, or only requests. They are allowed on every message, because another file
 * may use the message in the other direction.
 */
const OF_RESPONSES = /^(?:aliases|from|coerce|absent|unknown|time: \{.*none)/;
const OF_REQUESTS = /^(?:number|piece|style: (?:BRACKETS|SPREAD)|time: \{.*rounding|bytes)/;

/**
 * Reports whether a rule may have no effect in this place, because it can have an effect in another place.
 */
function isElsewhere({ place, rule }: Combination): boolean {
  // `piece` has an effect if the message is a part of an upload, and any message can be one.
  if (rule.startsWith("piece")) return true;
  // A header needs a name with and without this rule, so the rule changes nothing.
  if (place === "header" && rule.startsWith("name")) return true;
  // The same message can be a form in another method.
  if (place === "body" && /^style: (?:BRACKETS|SPREAD)/.test(rule)) return true;
  // The same message can be a JSON body in another method.
  if (/^(?:query|form)$/.test(place) && rule === "unwrap: true") return true;
  if (place.endsWith("response") || place in MEMBERS) return OF_REQUESTS.test(rule);
  if (place === "header" || place === "nothing") return false;
  return OF_RESPONSES.test(rule) || /^number/.test(rule);
}

function sourceOf(place: string, type: string, rule: string): string {
  const placed = { header: 'in: HEADER, name: "X-P"', nothing: "in: NOTHING" }[place];
  const rules = [placed, rule].filter(Boolean).join(", ");
  const field = `${type} x = 1 [(connectrest.v1.field) = {${rules}}];`;
  const verb = place === "body" || place === "form" ? 'post: "/a" body: "*"' : 'get: "/a"';
  const encoding = place === "form" ? "option (connectrest.v1.method).request_encoding = FORM;" : "";
  const nested = place === "nested response";
  const layout = MEMBERS[place];
  const held = layout === undefined ? field : `oneof o { ${layout} ${field} Other other = 8; }`;
  const isInResponse = place === "response" || layout !== undefined;
  return `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {${verb}}; ${encoding} } }
message Req { ${isInResponse || nested ? "" : field} string id = 9; }
message Res { ${isInResponse ? held : nested ? "Holder holder = 1;" : ""} string id = 9; }
message Holder { ${nested ? field : ""} string id = 9; }
message Inner { string n = 1; }
message Other { string m = 1; }
message Row { repeated string items = 1; }
message Dictionary { map<string, string> items = 1; }
enum Kind { NONE = 0; ONE = 1; }`;
}

function nameOf({ place, type, rule }: Combination): string {
  return `${place}, ${type}, ${rule}`;
}

/** Returns the generated code of each combination by its name, or `reported` if there is a diagnostic. */
function outputsOf(all: readonly Combination[]): ReadonlyMap<string, string> {
  const files = all.map((each, index) => [
    `c${index}.proto`,
    HEAD.replace("test.v1", `c${index}`) + sourceOf(each.place, each.type, each.rule),
  ]);
  const request = compileRequest(Object.fromEntries(files));
  const imported = request.protoFile.filter(({ name }) => !/^c\d+\.proto$/.test(name));
  const outputs = all.map((each, index) => {
    const name = `c${index}`;
    const { error, files: made } = runGenerator(request, {
      fileToGenerate: [`${name}.proto`],
      // Each run decodes only its own file and the imports.
      protoFile: [...imported, ...request.protoFile.filter((file) => file.name === `${name}.proto`)],
    });
    const text = (made[`${name}_rest.ts`] ?? "").replaceAll(new RegExp(`\\b${name}(?=\\b|_)`, "g"), "c");
    return [nameOf(each), error === "" ? text : "reported"] as const;
  });
  return new Map(outputs);
}

test("property: a rule changes the generated code, or is reported", () => {
  const candidates = COMBINATIONS.filter((each) => !isElsewhere(each));
  const sampled = sampleOf(candidates, SAMPLES);
  const plain = new Map(sampled.map((each) => [`${each.place} ${each.type}`, { ...each, rule: "" }]));
  const outputs = outputsOf([...plain.values(), ...sampled]);
  const silent = sampled.filter((each) => {
    const before = outputs.get(nameOf({ ...each, rule: "" }));
    return before !== "reported" && outputs.get(nameOf(each)) === before;
  });
  expect(silent.map(nameOf)).toEqual([]);
}, 300_000);
