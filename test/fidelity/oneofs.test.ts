/**
 * Tests oneofs whose member a response selects, with drawn rules and bodies: every value of a response is in
 * the message or in a report, no report names a value that the message holds, and both decoders agree.
 */
import { fromBinary, toJsonString } from "@bufbuild/protobuf";
import type { UnaryAdapter } from "connect-rest-runtime/adapter";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { SEED } from "../draws.ts";
import { HEAD } from "../generator-kit/compile.ts";
import { type Loaded, loadAdapters, problemsOf } from "../requests/load-adapters.ts";

/** Conditions on keys of the member's message, the member's own key, keys of other fields, and other keys. */
const CONDITIONS = [
  "",
  'when: {values: "x"}',
  'when: {key: "url", present: true}',
  'when: {key: "text", present: true}',
  'when: {key: "a", present: true}',
  'when: {key: "b", type: "object"}',
  'when: {key: "k", present: true}',
  'when: {key: "k", present: false}',
  'when: {key: "k", values: "x"}',
  'when: {key: "k", values: "y"}',
  'when: {key: "k", type: "string"}',
  'when: {key: "k", type: "object"}',
  'when: {key: "k.d", present: true}',
  'when: {key: "k.d", values: "x"}',
  'when: {key: "url", present: true}, when: {key: "k", values: "y"}',
] as const;

const OPTIONS = [
  "",
  "layout: FLATTENED",
  "layout: NESTED",
  'layout: BESIDE, payload: "p"',
  'discriminator: "t"',
  'discriminator: "t", layout: NESTED',
  'discriminator: "t", layout: BESIDE, payload: "p"',
] as const;

const BESIDE = [
  "",
  "string k = 5;",
  "string t = 5;",
  "map<string, string> others = 9 [(connectrest.v1.field).unknown = true];",
] as const;

interface Drawn {
  readonly option: string;
  readonly fallback: string;
  readonly members: ReadonlyArray<readonly [type: string, name: string, when: string]>;
  readonly beside: string;
}

const MEMBER = (type: string) =>
  fc.tuple(
    fc.constantFrom(type, type, type, "string"),
    fc.constantFrom("", "", 'name: "k"'),
    fc.constantFrom(...CONDITIONS),
  );

const DRAWN: fc.Arbitrary<Drawn> = fc.record({
  option: fc.constantFrom("", "", "", ...OPTIONS),
  fallback: fc.constantFrom("", "", 'fallback: "b"'),
  members: fc.tuple(MEMBER("A"), MEMBER("B")),
  beside: fc.constantFrom(...BESIDE),
});

/** Returns the content of a message. */
function oneofOf({ option, fallback, members, beside }: Drawn): string {
  const rules = [option, fallback].filter(Boolean).join(", ");
  const [a, b] = members.map(([type, name, when], at) => {
    const own = [name, when].filter(Boolean).join(", ");
    return `${type} ${"ab"[at]} = ${at + 1} [(connectrest.v1.field) = {${own}}];`;
  });
  return `oneof o { ${rules === "" ? "" : `option (connectrest.v1.oneof) = {${rules}};`} ${a} ${b} } ${beside}`;
}

function serviceOf(fields: string, index: number): string {
  return `service S${index} { rpc Get(Req) returns (M${index}) { option (google.api.http) = {get: "/a"}; } } message M${index} { ${fields} }\n`;
}

const TYPES = `message Req {}
message A { string url = 1; string both = 2; }
message B { string text = 1; string both = 2; }
`;

const SOURCES = [
  ...new Set(fc.sample(DRAWN, { numRuns: 1500, ...(SEED === undefined ? {} : { seed: SEED }) }).map(oneofOf)),
].map(serviceOf);

interface Subject {
  readonly source: string;
  readonly adapter: UnaryAdapter;
}

let loaded: Loaded;
const subjects: Subject[] = [];

beforeAll(async () => {
  const lines = problemsOf({ "a.proto": HEAD + TYPES + SOURCES.join("") });
  const first = (HEAD + TYPES).split("\n").length;
  const rejected = new Set(lines.map((line) => Number(line.split(":")[1]) - first));
  const supported = SOURCES.filter((_, index) => !rejected.has(index));
  loaded = await loadAdapters({ "a.proto": HEAD + TYPES + supported.join("") });
  for (const [name, { methods }] of loaded.adapters) {
    const source = supported.find((each) => each.startsWith(`service ${name} `)) ?? "";
    subjects.push({ source, adapter: methods.get as unknown as UnaryAdapter });
  }
}, 120_000);

/** A value of a body. Each `#` becomes a text that occurs only once. */
const LEAF = fc.constantFrom<unknown>("#", "#", "#", null);
const OBJECT = fc.dictionary(fc.constantFrom("url", "text", "both", "d", "other"), LEAF, {
  noNullPrototype: true,
  maxKeys: 3,
});
const WORD = fc.constantFrom<unknown>("x", "y", "a", "b");
const BODY = fc.record(
  {
    t: fc.oneof(WORD, LEAF),
    k: fc.oneof(WORD, LEAF, OBJECT, fc.record({ d: WORD })),
    p: fc.oneof(LEAF, OBJECT),
    a: fc.oneof(LEAF, OBJECT),
    b: fc.oneof(LEAF, OBJECT),
    url: LEAF,
    text: LEAF,
    both: LEAF,
    other: LEAF,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Returns the body with a different text at each leaf, and the paths of the texts. */
function numbered(body: unknown): { readonly text: string; readonly leaves: ReadonlyMap<string, string> } {
  const leaves = new Map<string, string>();
  const named = (value: unknown, path: string): unknown => {
    if (typeof value === "string") {
      const text = value === "#" ? `#${leaves.size}#` : value;
      leaves.set(path, text);
      return text;
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, named(each, path === "" ? key : `${path}.${key}`)]),
    );
  };
  return { text: JSON.stringify(named(body, "")), leaves };
}

function check({ source, adapter }: Subject, body: unknown): void {
  const { text, leaves } = numbered(body);
  const bytes = Buffer.from(text);
  const found = loaded.decoded(adapter, bytes);
  const fast = loaded.scanned(adapter, bytes);
  const what = `${source}${text}`;
  if (fast !== undefined) expect(fast, what).toEqual(found);
  const message = fromBinary(adapter.method.output, Buffer.from(found.message, "hex"));
  const held = toJsonString(adapter.method.output, message);
  const isChosen = (message as unknown as { o: { case?: string } }).o.case !== undefined;
  const isLost = found.differences.counts.lost > 0;
  const isSilent = ([path, value]: readonly [string, string]) => {
    if (held.includes(value)) return false;
    // a word is kept by the member that it selects, unless the value of the member is lost
    if ((isChosen || isLost) && !value.startsWith("#")) return false;
    return !found.differences.list.some((each) => path === each.path || path.startsWith(`${each.path}.`));
  };
  expect([...leaves].filter(isSilent), `${what}\nheld: ${held}`).toEqual([]);
  const isFalse = (path: string) => {
    const below = [...leaves].filter(([each]) => each === path || each.startsWith(`${path}.`));
    return below.length > 0 && below.every(([, value]) => value.startsWith("#") && held.includes(value));
  };
  const claims = /^(?:no such key|a known o|no other member of the oneof)$/;
  const wrong = found.differences.list.filter(({ expected, path }) => claims.test(expected) && isFalse(path));
  expect(wrong, `${what}\nheld: ${held}`).toEqual([]);
}

test("property: a oneof loses no value silently, and reports no value that it holds", () => {
  expect(subjects.length).toBeGreaterThan(150);
  for (const subject of subjects) {
    fc.assert(
      fc.property(BODY, (body) => check(subject, body)),
      { numRuns: 40 },
    );
  }
}, 300_000);
