/**
 * Checks every pair of rules, and every pair of fields, that read one place of a response, or a place inside
 * the value of the other: the generator reports the pair, or the pair is intended.
 */
import { beforeAll, expect, test } from "vitest";
import { errorsOf } from "./errors-of.ts";

interface Pair {
  readonly label: string;
  readonly source: string;
  /** Whether both readers can receive a value from one response. */
  readonly isMeant: boolean;
}

/** A rule that reads a path, and the JSON that the rule expects there. */
interface Reader {
  readonly rule: (path: string) => string;
  readonly isScalar: boolean;
}

const PAGE: Readonly<Record<string, Reader>> = {
  items: { rule: (path) => `items: "${path}"`, isScalar: false },
  link: { rule: (path) => `link: "${path}"`, isScalar: false },
  cursor: { rule: (path) => `cursor: {path: "${path}" field: "token"}`, isScalar: true },
  link_query: { rule: (path) => `link_query: "${path}"`, isScalar: false },
  total: { rule: (path) => `total: "${path}"`, isScalar: true },
  "more by value": { rule: (path) => `more: {key: "${path}" values: "true"}`, isScalar: true },
  "more by type": { rule: (path) => `more: {key: "${path}" type: "string"}`, isScalar: true },
  "more by presence": { rule: (path) => `more: {key: "${path}" present: true}`, isScalar: false },
};

const ENVELOPE: Readonly<Record<string, Reader>> = {
  payload: { rule: (path) => `payload: "${path}"`, isScalar: false },
  status: { rule: (path) => `status: "${path}"`, isScalar: true },
  message: { rule: (path) => `message: "${path}"`, isScalar: true },
  errors: { rule: (path) => `errors: "${path}"`, isScalar: false },
};

/** Pairs of rules that may read the same value, with the reason. */
const SAME: ReadonlyArray<readonly [pair: RegExp, reason: string]> = [
  [/^(?:link|cursor) \+ more/, "the value of a link or a cursor may show whether it leads to a page"],
  [/^message \+ errors$/, "error items may be one text, which is also the message"],
];

/** Rules of which a list of pages has only one. */
const NEXT = ["link", "cursor", "offset"];

/** Returns the rules that a pair needs, without the rules that the pair sets. */
function pageRules(one: string, other: string): string | undefined {
  const both = [one, other];
  if (both.every((name) => name.startsWith("more"))) return undefined;
  const next = both.flatMap((name) =>
    name === "link_query" ? ["link"] : name === "total" ? ["offset"] : NEXT.includes(name) ? [name] : [],
  );
  const [first = "link"] = next;
  if (next.some((name) => name !== first)) return undefined;
  const rule = both.includes(first) ? "" : first === "offset" ? 'offset: "skip"' : 'link: "page"';
  return `${both.includes("items") ? "" : 'items: "items"'} ${rule}`;
}

function pairsOf(
  readers: Readonly<Record<string, Reader>>,
  sourceOf: (one: string, other: string, rules: string) => string | undefined,
): Pair[] {
  const names = Object.keys(readers);
  return names.flatMap((one, index) =>
    names.slice(index + 1).flatMap((other) => {
      const [first, second] = [readers[one], readers[other]] as [Reader, Reader];
      const paths = [
        ["k", "k", SAME.some(([pair]) => pair.test(`${one} + ${other}`))],
        ["k", "k.z", !first.isScalar],
        // another check reports rules that read places in the items
        ["k.z", "k", !second.isScalar],
        ["k", "kz", true],
      ] as const;
      return paths.flatMap(([path, otherPath, isMeant]) => {
        const source = sourceOf(one, other, `${first.rule(path)} ${second.rule(otherPath)}`);
        if (source === undefined || (one === "items" && path === "k" && otherPath !== "kz")) return [];
        return [{ label: `${one} from ${path} + ${other} from ${otherPath}`, source, isMeant }];
      });
    }),
  );
}

const RULE_PAIRS: readonly Pair[] = [
  ...pairsOf(PAGE, (one, other, rules) => {
    const others = pageRules(one, other);
    if (others === undefined) return undefined;
    return `service S { rpc List(Req) returns (stream Item) { option (google.api.http) = {get: "/a"}; option (connectrest.v1.method) = {paginate: {${others} ${rules}}}; } }
message Req { string token = 1; int32 skip = 2; }
message Item { string id = 1; }`;
  }),
  ...["service", "method"].flatMap((holder) =>
    pairsOf(ENVELOPE, (one, other, rules) => {
      const payload = one === "payload" || other === "payload" ? "" : 'payload: "data"';
      const option = `option (connectrest.v1.${holder}).envelope = {${payload} ${rules}};`;
      const [service, method] = holder === "service" ? [option, ""] : ["", option];
      return `service S { ${service} rpc Get(Req) returns (Item) { option (google.api.http) = {get: "/a"}; ${method} } }
message Req {}
message Item { string id = 1; }`;
    }),
  ),
];

/** The JSON type of each type of field; undefined if the field reads any type. */
const SHAPES: Readonly<Record<string, "scalar" | "array" | "object" | undefined>> = {
  string: "scalar",
  "optional int32": "scalar",
  "google.protobuf.Timestamp": "scalar",
  "google.protobuf.Int64Value": "scalar",
  "repeated string": "array",
  "repeated Leaf": "array",
  "google.protobuf.ListValue": "array",
  Tuple: "array",
  Leaf: "object",
  "map<string, string>": "object",
  "google.protobuf.Struct": "object",
  "google.protobuf.Value": undefined,
  Union: undefined,
};

/** The ways in which a field reads the key `x`. */
const PLACES: Readonly<Record<string, (type: string, id: number) => string>> = {
  "its own name": (type, id) => `${type} x = ${id};`,
  "a name": (type, id) => `${type} f${id} = ${id} [(connectrest.v1.field).name = "x"];`,
  "a source": (type, id) => `${type} f${id} = ${id} [(connectrest.v1.field).from = {path: "x"}];`,
  "a source of several": (type, id) =>
    `${type} f${id} = ${id} [(connectrest.v1.field) = {from: {path: "x"} from: {path: "z"}}];`,
};

function response(fields: string): string {
  return `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } }
message Req {}
message Res { ${fields} }
message Leaf { optional google.protobuf.Value y = 1; }
message Tuple { option (connectrest.v1.message).tuple = true; string s = 1; }
message Union { oneof value { option (connectrest.v1.oneof).layout = UNWRAPPED;
  string text = 1 [(connectrest.v1.field).when = {type: "string"}];
  Leaf leaf = 2 [(connectrest.v1.field).when = {type: "object"}]; } }`;
}

const TYPES = Object.keys(SHAPES);

const SAME_KEY: readonly Pair[] = Object.entries(PLACES).flatMap(([one, first], index, places) =>
  places.slice(index).flatMap(([other, second]) =>
    one === "its own name" && other === one
      ? []
      : TYPES.flatMap((type) =>
          TYPES.map((otherType) => {
            const shapes = [SHAPES[type], SHAPES[otherType]];
            const isPossible = shapes.includes(undefined) || shapes[0] === shapes[1];
            const isSaid = [one, other].some((place) => place.startsWith("a source")) || one === other;
            const isAlternative = [one, other].includes("a source of several");
            return {
              label: `${type} by ${one} + ${otherType} by ${other}`,
              source: response(`${first(type, 1)} ${second(otherType, 2)}`),
              isMeant: isAlternative || (isPossible && isSaid),
            };
          }),
        ),
  ),
);

const INSIDE: readonly Pair[] = Object.entries(PLACES).flatMap(([place, outer]) =>
  TYPES.flatMap((type) =>
    ["x.y", "x.0", "x.y.z", "x.'y'"].map((path) => {
      const shape = SHAPES[type];
      const isOpen = shape !== "scalar" && !(shape === "array" && path !== "x.0");
      return {
        label: `${type} by ${place} + a field from ${path}`,
        source: response(
          `${outer(type, 1)} string inner = 2 [(connectrest.v1.field).from = {path: "${path}"}];`,
        ),
        isMeant: isOpen || place === "a source of several",
      };
    }),
  ),
);

const LAYOUTS = {
  BESIDE: 'discriminator: "t" layout: BESIDE payload: "x"',
  discriminator: 'discriminator: "x" layout: NESTED',
};

const CHOICES: readonly Pair[] = Object.entries(LAYOUTS).flatMap(([name, layout]) =>
  Object.entries(PLACES).flatMap(([place, field]) =>
    TYPES.map((type) => {
      const shape = SHAPES[type];
      const isMeant =
        name === "BESIDE" ? place.startsWith("a source") : shape === "scalar" || shape === undefined;
      return {
        label: `${name} + ${type} by ${place}`,
        source: response(
          `oneof one { option (connectrest.v1.oneof) = {${layout}}; Leaf a = 8; Leaf b = 9; } ${field(type, 1)}`,
        ),
        isMeant,
      };
    }),
  ),
);

const PAIRS = {
  "rules of pages and envelopes": RULE_PAIRS,
  "fields with one key": SAME_KEY,
  "a field inside the value of another": INSIDE,
  "a oneof and a field": CHOICES,
};

let errors: ReadonlyMap<string, readonly string[]>;

beforeAll(() => {
  const pairs = Object.values(PAIRS).flat();
  const found = errorsOf(pairs.map(({ source }) => source));
  errors = new Map(pairs.map(({ source }, index) => [source, found[index] ?? []]));
});

test.each(Object.entries(PAIRS))(
  "two readers of one place are reported, unless both can read: %s",
  (_name, pairs) => {
    const outcome = (label: string, isReported: boolean) =>
      `${label}: ${isReported ? "reported" : "accepted"}`;
    const found = pairs.map(({ label, source }) =>
      outcome(label, errors.get(source)?.some((line) => line.includes(": read-twice: ")) ?? false),
    );
    expect(found).toEqual(pairs.map(({ label, isMeant }) => outcome(label, !isMeant)));
    expect(new Set(pairs.map(({ isMeant }) => isMeant)).size).toBe(2);
  },
);

test("an enum and a string may read one key, because the string keeps unknown spellings", () => {
  const enums = "enum Kind { NONE = 0; ONE = 1; }";
  const fields = 'Kind x = 1; string text = 2 [(connectrest.v1.field).name = "x"];';
  expect(errorsOf([response(fields) + enums])).toEqual([[]]);
});
