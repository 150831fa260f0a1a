/** Checks the values of conditions against the types of all fields that read the same key. */
import { expect, test } from "vitest";
import { errorsOf } from "./errors-of.ts";

/** The places of a condition on the key `state`: `$` is its value. */
const PLACES: Readonly<Record<string, (value: string, fields: string) => string>> = {
  "a member by the discriminator": (value, fields) =>
    unary(
      `${fields} oneof o { option (connectrest.v1.oneof).discriminator = "state"; A a = 1 [(connectrest.v1.field).when = {values: "${value}"}]; A b = 2 [(connectrest.v1.field).when = {key: "n", present: true}]; }`,
    ),
  "a member by a key": (value, fields) =>
    unary(
      `${fields} oneof o { A a = 1 [(connectrest.v1.field).when = {key: "state", values: "${value}"}]; A b = 2 [(connectrest.v1.field).when = {key: "state", present: false}]; }`,
    ),
  "more pages": (value, fields) => `${service(
    `paginate: {items: "items" offset: "offset" more: {key: "state" values: "${value}"}}`,
    "stream A",
  )}
rpc List(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } }
message Res { repeated A items = 1; ${fields} }`,
  "the last record": (value, fields) => `${service(
    `records: {format: LINES last: {key: "state" values: "${value}"}}`,
    "stream Res",
  )} }
message Res { ${fields} }`,
  "a finished operation": (value, fields) => `${service(
    `operation: {header: "Location" done: {key: "state" values: "${value}"}}`,
    "stream Res",
    'post: "/a" body: "*"',
  )} }
message Res { ${fields} }`,
};

function service(rules: string, returns: string, http = 'get: "/a"'): string {
  return `service S { rpc Get(Req) returns (${returns}) { option (google.api.http) = {${http}}; option (connectrest.v1.method) = {${rules}}; }`;
}

function unary(fields: string): string {
  return `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } }
message Res { ${fields} }`;
}

const NAMED = '[(connectrest.v1.field).name = "state"]';

/** The fields that read the key, and values with the decision whether they are possible. */
const FIELDS: ReadonlyArray<readonly [fields: string, values: Readonly<Record<string, boolean>>]> = [
  [
    "Kind state = 5;",
    { open: true, OPEN: false, opne: false, closed: true, "1": true, "9": false, HALF: true, half: false },
  ],
  [`Kind state = 5; string text = 6 ${NAMED};`, { open: true, opne: true }],
  [`Kind state = 5 ${NAMED}; Other second = 6 ${NAMED};`, { open: true, FOO: true, BAR: false }],
  ["bool state = 5;", { true: true, "1": true, yes: true, ready: false }],
  ["int64 state = 5;", { "7": true, "-1": true, ready: false }],
  ["double state = 5;", { "1.5": true, "1e3": true, ready: false }],
  ["google.protobuf.BoolValue state = 5;", { false: true, ready: false }],
  ["google.protobuf.Value state = 5;", { ready: true }],
  ["google.protobuf.NullValue state = 5;", { ready: true }],
  ["string state = 5;", { ready: true }],
  [
    `int32 number = 5 [(connectrest.v1.field) = {name: "state", absent: "N/A"}];`,
    { "N/A": true, ready: false },
  ],
  ["A state = 5;", { ready: true }],
  ["string id = 5;", { ready: true }],
];

const CASES = Object.entries(PLACES).flatMap(([place, source]) =>
  FIELDS.flatMap(([fields, values]) =>
    Object.entries(values).map(([value, isPossible]) => ({
      name: `${place}, ${fields} ${value}`,
      source: source(value, fields),
      isPossible,
    })),
  ),
);

const REST = `
message Req { int32 offset = 1; }
message A { string n = 1; }
enum Kind { NONE = 0; OPEN = 1 [(connectrest.v1.enum_value) = {wire: "open", aliases: "closed"}]; HALF = 2; }
enum Other { FOO = 0; }`;

const errors = errorsOf(CASES.map(({ source }) => source + REST));

test.each(CASES)("a condition that can never hold is reported: $name", (each) => {
  // another check reports an object as the discriminator
  const own = errors[CASES.indexOf(each)]?.filter((line) => !line.includes(": read-twice: "));
  expect(own).toEqual(each.isPossible ? [] : [expect.stringMatching(/: when-never: .* never holds for /)]);
});
