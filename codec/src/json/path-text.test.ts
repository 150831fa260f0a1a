import fc from "fast-check";
import { expect, test } from "vitest";
import { DifferenceWriter } from "../decode/difference-writer.ts";
import { keyTree } from "../table/key-tree.ts";
import { isJsonObject, type JsonValue } from "./json.ts";
import { joinedPath, reportedSteps, stepText } from "./path-text.ts";

const key = fc.oneof(
  fc.constantFrom(
    "",
    "1.0",
    "a.b",
    "a[0]",
    '"',
    "'",
    "a b",
    "(root)",
    "…",
    "[",
    "]",
    "\\",
    "\n",
    "\ud800",
    "0",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: "grapheme", minLength: 90, maxLength: 110 }),
);

test.each([
  ["", '[""]'],
  ["1.0", '["1.0"]'],
  ["a b", '["a b"]'],
  ['say "hi"', '["say \\"hi\\""]'],
  ["@odata:next/$x-y", "@odata:next/$x-y"],
  ["x".repeat(101), `["${"x".repeat(100)}"…]`],
])("the step for the key %j is %s", (key, step) => {
  expect(stepText(key)).toBe(step);
});

test("property: a path in a report leads to one place in the body", () => {
  const steps = fc.array(fc.oneof(key, fc.nat(20)), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(steps, (all) => {
      const path = all
        .map((step) => (typeof step === "number" ? `[${step}]` : stepText(step)))
        .reduce(joinedPath);
      const read = reportedSteps(path);
      expect(read).toHaveLength(all.length);
      read.forEach(({ key, isCut }, index) => {
        const step = all[index] ?? "";
        expect(isCut ? String(step).startsWith(String(key)) : key === step).toBe(true);
      });
    }),
    { numRuns: 2_000 },
  );
});

function valueAtReport(body: JsonValue, path: string): JsonValue | undefined {
  return reportedSteps(path).reduce<JsonValue | undefined>((value, { key, isCut }) => {
    if (Array.isArray(value)) return value[Number(key)];
    if (!isJsonObject(value)) return undefined;
    const found = Object.keys(value).filter((each) => (isCut ? each.startsWith(String(key)) : each === key));
    return found.length === 1 ? value[found[0] ?? ""] : undefined;
  }, body);
}

test("property: the path of each additional key leads back to its value", () => {
  const body = fc.dictionary(
    key.filter((each) => each !== "__proto__"),
    fc.stringMatching(/^[a-z]{4,8}$/),
  );
  fc.assert(
    fc.property(body, body, (outer, inner) => {
      const json: JsonValue = { ...outer, page: inner };
      const writer = new DifferenceWriter();
      writer.keysBeyond(keyTree(["page.x"]), json);
      for (const { path, got } of writer.found().list) {
        const value = valueAtReport(json, path);
        expect(value === undefined && path.includes("…]") ? got : `string ${JSON.stringify(value)}`).toBe(
          got,
        );
      }
    }),
    { numRuns: 500 },
  );
});
