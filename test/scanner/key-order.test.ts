import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../codec/src/json/json.ts";
import { firstKey } from "../../codec/src/table/keys.ts";
import { isField, MessageTable } from "../../codec/src/table/message-table.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { atLeast } from "../draws.ts";
import { adaptersOf } from "../fidelity/services.ts";
import { decoded, scanned } from "./both.ts";
import { Dice, objectText, shuffle } from "./json-text.ts";

/** Methods whose response is a single message that the scanner supports, with the message's table. */
const SUBJECTS: ReadonlyArray<readonly [adapter: UnaryAdapter, table: MessageTable]> = [
  ...(await adaptersOf("gen")),
  ...(await adaptersOf("test/gen")),
]
  .flatMap(({ methods }) => Object.values(methods))
  .flatMap((adapter) =>
    adapter.kind === "unary" &&
    // Forms are excluded, because a difference in a form contains the start of the text.
    adapter.rules.responseEncoding === "json" &&
    adapter.body instanceof MessageTable &&
    namedKeys(adapter.body).size > 1
      ? [[adapter, adapter.body] as const]
      : [],
  );

/** Returns the keys of a message's fields, without the keys of other messages in the same object. */
function namedKeys({ entries }: MessageTable): ReadonlySet<string> {
  const fields = entries.flatMap((entry) => ("oneOf" in entry ? entry.oneOf : isField(entry) ? [entry] : []));
  return new Set(fields.flatMap(([, , ...keys]) => keys.map(firstKey)));
}

/**
 * Returns an object with its named keys in another order. Other keys keep their order, because a field may
 * collect them.
 */
function reordered(json: JsonObject, named: ReadonlySet<string>, dice: Dice): JsonObject {
  const entries = Object.entries(json);
  const places = entries.flatMap(([key], index) => (named.has(key) ? [index] : []));
  const from = [...places];
  shuffle(from, dice);
  const others = new Map(places.map((place, index) => [place, from[index] ?? place]));
  return Object.fromEntries(entries.map((entry, index) => entries[others.get(index) ?? index] ?? entry));
}

function bodyOf({ rules: { envelope } }: UnaryAdapter, payload: JsonValue): Buffer {
  const wrap = (value: JsonValue, path: string) =>
    path.split(".").reduceRight((inner: JsonValue, key) => ({ [key]: inner }), value) as JsonObject;
  const [path = ""] = envelope?.payload ?? [];
  const inner = path === "" ? payload : wrap(payload, path);
  const status = path === "" || envelope?.status === undefined ? {} : wrap(200, envelope.status);
  return Buffer.from(JSON.stringify(isJsonObject(inner) ? { ...status, ...inner } : inner));
}

test("property: the order of keys does not affect the result of the decoder or of the scanner", () => {
  let read = 0;
  let moved = 0;
  fc.assert(
    fc.property(fc.constantFrom(...SUBJECTS), fc.nat(), ([adapter, table], seed) => {
      const dice = new Dice(seed);
      const json: JsonValue = JSON.parse(objectText(table, dice));
      if (!isJsonObject(json)) return;
      const other = reordered(json, namedKeys(table), dice);
      const body = bodyOf(adapter, json);
      const otherBody = bodyOf(adapter, other);
      if (!body.equals(otherBody)) moved++;
      const expected = decoded(adapter, body);
      expect(decoded(adapter, otherBody), otherBody.toString()).toEqual(expected);
      const found = scanned(adapter, otherBody);
      if (found === undefined) return;
      read++;
      expect(found, otherBody.toString()).toEqual(expected);
    }),
    { numRuns: 1000 },
  );
  // Otherwise the property would test little.
  expect(read).toBeGreaterThanOrEqual(atLeast(100));
  expect(moved).toBeGreaterThanOrEqual(atLeast(250));
});

test("property: the scanner reads a response with missing keys like the decoder", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SUBJECTS), fc.nat(), ([adapter, table], seed) => {
      const dice = new Dice(seed);
      const json: JsonValue = JSON.parse(objectText(table, dice));
      if (!isJsonObject(json)) return;
      const kept = Object.entries(json).filter(() => dice.once(2));
      const body = bodyOf(adapter, Object.fromEntries(kept));
      const found = scanned(adapter, body);
      if (found !== undefined) expect(found, body.toString()).toEqual(decoded(adapter, body));
    }),
    { numRuns: 500 },
  );
});
