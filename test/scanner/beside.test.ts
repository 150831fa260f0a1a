/**
 * Tests additional keys in the objects that declared paths lead through: around payloads and around fields.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../../codec/src/json/json.ts";
import { type FieldEntry, table } from "../../codec/src/table/message-table.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { completeRules } from "../../runtime/src/adapter/default-rules.ts";
import type { EnvelopeRule } from "../../runtime/src/adapter/rules.ts";
import { atLeast } from "../draws.ts";
import { decoded, methodReadBy, pieces, scanned } from "./both.ts";

type Json = { readonly [key: string]: JsonValue };

const KEYS = ["a", "b", "c"];
const KEY = fc.constantFrom(...KEYS);
const PATH = fc.array(KEY, { minLength: 1, maxLength: 3 }).map((steps) => steps.join("."));
/** Nested objects whose other values are strings. */
const { object: OBJECT } = fc.letrec<{ object: Json; value: JsonValue }>((tie) => ({
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS, "x", "y"), tie("value")), {
      selector: ([key]) => key,
      maxLength: 4,
    })
    .map((entries) => Object.fromEntries(entries)),
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.constant("t"), tie("object")),
}));

/** Returns the paths of all keys that no declared path contains. */
function beside(value: JsonValue | undefined, paths: readonly string[], at = ""): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value as Json).flatMap(([key, inner]) => {
    const path = at === "" ? key : `${at}.${key}`;
    if (paths.includes(path)) return [];
    return paths.some((each) => each.startsWith(`${path}.`)) ? beside(inner, paths, path) : [path];
  });
}

/**
 * Counts the bodies that the scanner was asked to read, the bodies that it read, and the bodies with
 * differences.
 */
class Tally {
  asked = 0;
  read = 0;
  reported = 0;

  /**
   * Returns the reported paths. Checks that the decoder and the scanner agree on the paths, including when
   * the scanner reads the body in pieces.
   */
  additional(adapter: UnaryAdapter, json: Json): readonly string[] {
    const body = Buffer.from(JSON.stringify(json));
    const says = `${JSON.stringify(adapter.rules.envelope)} ${body}`;
    const found = decoded(adapter, body);
    const fast = scanned(adapter, body);
    const work = pieces(adapter, body, 24);
    let step = work.next();
    while (step.done !== true) step = work.next();
    for (const each of [fast, step.value]) if (each !== undefined) expect(each, says).toEqual(found);
    const additional = found.differences.list.filter((each) => each.class === "additional");
    this.asked++;
    if (fast !== undefined) this.read++;
    if (fast !== undefined && additional.length > 0) this.reported++;
    return additional.map(({ path }) => path);
  }
}

test("property: a key outside the paths of all fields is reported once", () => {
  const tally = new Tally();
  fc.assert(
    fc.property(
      fc.uniqueArray(PATH, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      OBJECT,
      (paths, collects, json) => {
        const fields = paths.map((path, index): FieldEntry => [index + 1, { loose: "string" }, { path }]);
        const message = table("test.Message", () => [
          ...fields,
          ...(collects ? [{ unknown: 99 } as const] : []),
        ]);
        // A key that the message collects is not reported.
        const expected = beside(json, paths).filter((path) => !collects || path.includes("."));
        const found = tally.additional(methodReadBy(message), json);
        expect([json, paths, found.toSorted()]).toEqual([json, paths, expected.toSorted()]);
      },
    ),
    { numRuns: 3000 },
  );
  expect(tally.read / tally.asked).toBeGreaterThan(0.2);
  expect(tally.reported).toBeGreaterThanOrEqual(atLeast(200));
});

test("property: each key next to a payload is reported once, unless a rule reads the key or `known` lists it", () => {
  const tally = new Tally();
  const Text = table("test.Text", () => [[1, "string", "x"], { unknown: 2 }]);
  const envelopes: fc.Arbitrary<EnvelopeRule> = fc.record(
    {
      payload: PATH.map((path) => [`p.${path}`.slice(0, 3)]),
      status: PATH.map((path) => `${path}.status`),
      message: PATH,
      errors: PATH,
      known: fc.uniqueArray(PATH, { maxLength: 2 }),
    },
    { requiredKeys: ["payload"] },
  );
  fc.assert(
    fc.property(envelopes, OBJECT, OBJECT, fc.boolean(), (envelope, around, payload, isFirst) => {
      const { payload: [path = ""] = [], status, message, errors = "errors", known = [] } = envelope;
      const [first = "", second = ""] = path.split(".");
      // `errors` next to an empty payload would fail the call.
      const inner = { [first]: { ...around, [second]: { ...payload, full: "t" } } };
      const json: Json = isFirst ? { ...inner, ...around } : { ...around, ...inner };
      const read = [path, status, message, errors, ...known].filter((each) => each !== undefined);
      const rules = completeRules({ upstream: "api", envelope });
      const expected = beside(json, read);
      const found = tally.additional({ ...methodReadBy(Text), rules }, json);
      expect([json, envelope, found.toSorted()]).toEqual([json, envelope, expected.toSorted()]);
    }),
    { numRuns: 3000 },
  );
  expect(tally.read / tally.asked).toBeGreaterThan(0.2);
  expect(tally.reported).toBeGreaterThanOrEqual(atLeast(200));
});

test("property: with flattened members, each key is read by the parent or by the selected member, or is reported", () => {
  const paths = fc.uniqueArray(PATH, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(paths, paths, OBJECT, (ofHolder, ofMember, object) => {
      const fields = (all: readonly string[]) =>
        all.map((path, index): FieldEntry => [index + 2, { loose: "string" }, { path }]);
      const Member = table("test.Member", () => fields(ofMember));
      const holder = table("test.Holder", () => [
        ...fields(ofHolder),
        { choice: "one", by: ["type"], when: [{ is: ["member"], as: [9, Member] }] },
      ]);
      const json: Json = { type: "member", ...object };
      const body = Buffer.from(JSON.stringify(json));
      const found = decoded(methodReadBy(holder), body);
      const fast = scanned(methodReadBy(holder), body);
      if (fast !== undefined) expect(fast, String(body)).toEqual(found);
      const reported = found.differences.list.filter((each) => each.class === "additional");
      const expected = beside(json, ["type", ...ofHolder, ...ofMember]);
      expect([json, ofHolder, ofMember, reported.map(({ path }) => path).toSorted()]).toEqual([
        json,
        ofHolder,
        ofMember,
        expected.toSorted(),
      ]);
    }),
    { numRuns: 1000 },
  );
});
