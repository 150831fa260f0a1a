import fc from "fast-check";
import { expect, test } from "vitest";
import { EnumTable } from "../../codec/src/table/enum-table.ts";
import { type FieldEntry, type Kind, table } from "../../codec/src/table/message-table.ts";
import { StructTable } from "../../codec/src/table/well-known.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { decoded, methodReadBy, scanned } from "./both.ts";

const Inner = table("test.Inner", () => [
  [1, "string", "text"],
  [2, Inner, "inner"],
]);
const Tone = new EnumTable("test.Tone", [
  [0, "TONE_NONE"],
  [1, "TONE_LOW"],
]);

/** A kind of member, and the encoding of the member as field 2 with its zero value. */
const MEMBERS: Readonly<Record<string, readonly [kind: Kind, zero: string]>> = {
  string: ["string", "1200"],
  bytes: ["bytes", "1200"],
  bool: ["bool", "1000"],
  int64: ["int64", "1000"],
  double: ["double", "110000000000000000"],
  fixed32: ["fixed32", "1500000000"],
  enum: [Tone, "1000"],
  message: [Inner, "1200"],
  struct: [StructTable, "1200"],
  wrapper: [{ wrapper: "int32" }, "1200"],
  time: [{ time: "seconds" }, "1200"],
  "unwrapped list": [{ unwrap: [1, { list: "string" }] }, "1200"],
  "loose message": [{ loose: Inner }, "1200"],
  group: [{ group: Inner }, "1314"],
};

/**
 * Returns the decoder's result for a body, and checks that the scanner agrees or leaves the body to the
 * decoder.
 */
function outcome(adapter: UnaryAdapter, json: unknown) {
  const body = Buffer.from(JSON.stringify(json));
  const found = decoded(adapter, body);
  const fast = scanned(adapter, body);
  if (fast !== undefined) expect(fast, body.toString()).toEqual(found);
  return {
    message: found.message,
    differences: found.differences.list.map((each) => `${each.class} ${each.path}`),
  };
}

test.each(Object.entries(MEMBERS))(
  "a %s that a discriminator selects is set to its zero value if its key is missing or null",
  (_, [kind, zero]) => {
    const named = [2, kind, "it"] as const satisfies FieldEntry;
    const byWord = table("test.Named", () => [
      { choice: "one", by: ["type"], when: [{ is: ["it"], as: named }] },
    ]);
    const byKey = table("test.Keyed", () => [
      {
        choice: "one",
        when: [
          { key: ["type"], is: ["it"], as: named },
          { key: ["it"], present: true, as: named },
        ],
      },
    ]);
    for (const message of [byWord, byKey]) {
      for (const json of [{ type: "it" }, { type: "it", it: null }, { it: null, type: "it" }]) {
        const found = outcome(methodReadBy(message), json);
        expect([
          json,
          found.message,
          found.differences.filter((each) => !each.startsWith("additional")),
        ]).toEqual([json, zero, []]);
      }
    }
    expect(outcome(methodReadBy(byWord), {}).message).toBe("");
  },
);

test("property: with flattened members, keys of members that are not selected are reported as lost", () => {
  const keys = ["own", "a", "b", "both", "other"];
  const A = table("test.A", () => [
    [1, "string", "a"],
    [2, "string", "both"],
  ]);
  const B = table("test.B", () => [
    [1, "string", "b"],
    [2, "string", "both"],
  ]);
  const message = table("test.Flat", () => [
    [1, "string", "own"],
    {
      choice: "one",
      by: ["type"],
      when: [
        { is: ["a"], as: [2, A] },
        { is: ["b"], as: [3, B] },
      ],
    },
  ]);
  const reads: Readonly<Record<string, readonly string[]>> = { a: ["a", "both"], b: ["b", "both"], none: [] };
  const nothing = [null, [], {}];
  const value = fc.oneof(
    { arbitrary: fc.constant<unknown>("x"), weight: 3 },
    fc.constantFrom<unknown>(...nothing),
  );
  fc.assert(
    fc.property(
      fc.constantFrom("a", "b", "none"),
      fc.dictionary(fc.constantFrom(...keys), value, { noNullPrototype: true }),
      fc.boolean(),
      (type, object, isFirst) => {
        const own = type === "none" ? {} : { type };
        const json = isFirst ? { ...own, ...object } : { ...object, ...own };
        const held = ["own", ...(reads[type] ?? [])];
        const lost = Object.entries(object)
          .filter(([key, each]) => !held.includes(key) && key !== "other" && each === "x")
          .map(([key]) => `lost ${key}`);
        const found = outcome(methodReadBy(message), json).differences;
        expect([json, found.filter((each) => each.startsWith("lost") && !isRead(each, held)).sort()]).toEqual(
          [json, lost.sort()],
        );
        const additional = "other" in object ? ["additional other"] : [];
        expect([json, found.filter((each) => each.startsWith("additional"))]).toEqual([json, additional]);
      },
    ),
    { numRuns: 500 },
  );
});

/** Reports whether a difference says that a field's key is lost, because its value is not a string. */
function isRead(difference: string, held: readonly string[]): boolean {
  return held.some((key) => difference === `lost ${key}`);
}

test("property: an object in place of a list is one item if it has a key of an item, empty if it has no keys, and otherwise lost", () => {
  const kinds: ReadonlyArray<readonly [Kind, collects: boolean]> = [
    [{ list: Inner }, false],
    [{ loose: { list: Inner } }, false],
    [{ list: { group: Inner } }, false],
    [{ loose: { list: table("test.Kept", () => [[1, "string", "text"], { unknown: 9 }]) } }, true],
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.dictionary(fc.constantFrom("text", "new", "id"), fc.constantFrom<unknown>("x", null, 5), {
        noNullPrototype: true,
      }),
      ([kind], object) => {
        const adapter = methodReadBy(table("test.Lists", () => [[2, kind, "items"]]));
        const found = outcome(adapter, { items: object });
        const list = outcome(adapter, { items: [object] });
        const keys = Object.keys(object);
        if (keys.length === 0) {
          expect([found.message, found.differences.includes("lost items")]).toEqual(["", false]);
        } else if (keys.includes("text")) {
          expect(found.message).toBe(list.message);
          expect(found.differences.includes("lost items")).toBe(false);
        } else {
          expect(found).toEqual({ message: "", differences: ["lost items"] });
        }
      },
    ),
    { numRuns: 500 },
  );
});
