/** Tests discriminators that select no member: the value is kept in the message, or reported as lost. */
import { fromBinary } from "@bufbuild/protobuf";
import type { UnaryAdapter } from "connect-rest-runtime/adapter";
import { expect, test } from "vitest";
import { HEAD } from "../generator-kit/compile.ts";
import { loadAdapters } from "../requests/load-adapters.ts";

/** Oneof rules, by layout. */
const LAYOUTS: Readonly<Record<string, string>> = {
  implied: 'discriminator: "the_type"',
  flattened: 'discriminator: "the_type", layout: FLATTENED',
  nested: 'discriminator: "the_type", layout: NESTED',
  beside: 'discriminator: "the_type", layout: BESIDE, payload: "payload"',
};

/** Types of the fallback member. */
const FALLBACKS = ["Bare", "Named", "Aliased", "Loose", "Deep", "google.protobuf.Struct", "Enumerated"];

const MESSAGES = `
message Leaf { string id = 1; }
message Bare { string id = 1; }
message Named { string the_type = 1; string id = 2; }
message Aliased { string which = 1 [(connectrest.v1.field).name = "the_type"]; string id = 2; }
message Loose { map<string, string> others = 1 [(connectrest.v1.field).unknown = true]; }
message Deep { Named inner = 1; string id = 2; }
enum Tone { NONE = 0; LOW = 1; }
message Enumerated { Tone the_type = 1; }
`;

/** Fields next to the oneof. */
const BESIDE: Readonly<Record<string, string>> = {
  nothing: "",
  "a text": "string the_type = 9;",
  "another text": "string id = 9;",
  "a collector": "map<string, string> others = 9 [(connectrest.v1.field).unknown = true];",
};

const CASES = Object.entries(LAYOUTS)
  .flatMap(([layout, rules]) =>
    FALLBACKS.flatMap((type) =>
      Object.entries(BESIDE).map(([besideName, fields]) => ({
        title: `${layout}, ${type} beside ${besideName}`,
        rules,
        type,
        fields,
      })),
    ),
  )
  .map((each, index) => ({ ...each, service: `S${index}` }));

const SERVICES = CASES.map(
  ({ service, rules, type, fields }) =>
    `service ${service} { rpc Get(Leaf) returns (${service}Res) { option (google.api.http) = {get: "/a"}; } }
    message ${service}Res { ${fields} oneof choice {
      option (connectrest.v1.oneof) = {${rules}, fallback: "other"};
      Leaf leaf = 1; ${type} other = 2;
    } }`,
).join("\n");

const { adapters, decoded, scanned } = await loadAdapters({ "a.proto": HEAD + MESSAGES + SERVICES });

/** Discriminator values that select no member. */
const WORDS = ["zebra", 7123] as const;
const OBJECTS: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  {},
  { id: "1" },
  { other: { id: "1" }, payload: { id: "1" } },
];
const BODIES = WORDS.flatMap((word) =>
  ["the_type", "theType"].flatMap((key) =>
    OBJECTS.flatMap((object) => [
      { [key]: word, ...object },
      { ...object, [key]: word },
    ]),
  ),
).map((json) => Buffer.from(JSON.stringify(json)));

test.each(CASES)("$title", ({ service, type, rules }) => {
  const isOwnEnum = type === "Enumerated" && !/NESTED|BESIDE/.test(rules);
  const adapter = adapters.get(service)?.methods.get as unknown as UnaryAdapter;
  for (const body of BODIES) {
    const { message, differences } = decoded(adapter, body);
    const fast = scanned(adapter, body);
    if (fast !== undefined) expect(fast, body.toString()).toEqual({ message, differences });
    const read = fromBinary(adapter.method.output, Buffer.from(message, "hex"));
    const text = JSON.stringify(read, (_, value) => (typeof value === "bigint" ? String(value) : value));
    const isHeld = WORDS.some((word) => text.includes(String(word)));
    const lost = differences.list.filter((each) => each.class === "lost" && /the_?type/i.test(each.path));
    // Enum fields report unknown names themselves.
    const isLost = isOwnEnum ? body.includes(WORDS[0]) : !isHeld;
    expect([body.toString(), isHeld, lost.length]).toEqual([body.toString(), isHeld, isLost ? 1 : 0]);
  }
});
