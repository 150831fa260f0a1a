import fc from "fast-check";
import { expect, test } from "vitest";
import { checkJsonCost } from "../../codec/src/cost/json-cost.ts";
import { isField, MessageTable } from "../../codec/src/table/message-table.ts";
import { atOnce } from "../../codec/src/time/work.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { atLeast } from "../draws.ts";
import { adaptersOf } from "../fidelity/services.ts";
import { decoded, methodReadBy, pieces, scanned } from "./both.ts";
import { Dice, mutated, objectText } from "./json-text.ts";
import { randomTable } from "./random-table.ts";

/** Methods whose responses the scanner supports. */
const SUBJECTS: readonly UnaryAdapter[] = [...(await adaptersOf("gen")), ...(await adaptersOf("test/gen"))]
  .flatMap(({ methods }) => Object.values(methods))
  .filter((adapter): adapter is UnaryAdapter => adapter.kind === "unary" && adapter.body !== undefined);

function payloadText({ body }: UnaryAdapter, dice: Dice): string {
  const table = body instanceof MessageTable ? body : body?.[1];
  return table instanceof MessageTable ? objectText(table, dice) : "[]";
}

/** Returns JSON of the only list of messages in a response; undefined for a response without one. */
function listText({ body }: UnaryAdapter, dice: Dice): string | undefined {
  const fields =
    body instanceof MessageTable ? body.entries.filter(isField) : body === undefined ? [] : [body];
  for (const [, kind, ...keys] of fields) {
    if (typeof kind !== "object" || !("list" in kind) || keys.length > 1) continue;
    const { list } = kind;
    if (!(list instanceof MessageTable)) continue;
    const items = Array.from({ length: 4 }, () => objectText(list, Object.assign(dice, { budget: 8 })));
    return keys.length === 0 ? `[${items}]` : `{${JSON.stringify(keys[0])}:[${items}]}`;
  }
  return undefined;
}

function bodyText({ rules: { envelope } }: UnaryAdapter, payload: string, dice: Dice): string {
  const [path = ""] = envelope?.payload ?? [];
  const wrap = (value: string, at: string) =>
    at.split(".").reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, value);
  if (path === "") return payload;
  const inner = wrap(payload, path);
  if (envelope?.status === undefined) return inner;
  const status = wrap(
    dice.once(20) ? dice.pick(["404", '"200"', "null", "201", "200.0"]) : "200",
    envelope.status,
  );
  return `${status.slice(0, -1)},${inner.slice(1)}`;
}

test("property: for responses of any method, the scanner gives the decoder's result or falls back to the decoder", () => {
  let read = 0;
  let asked = 0;
  let reported = 0;
  fc.assert(
    fc.property(fc.constantFrom(...SUBJECTS), fc.nat(), (adapter, seed) => {
      const dice = new Dice(seed);
      const body = mutated(bodyText(adapter, payloadText(adapter, dice), dice), dice);
      asked++;
      const found = scanned(adapter, body);
      if (found === undefined) return;
      read++;
      if (found.differences.list.length > 0) reported++;
      expect(found, body.toString()).toEqual(decoded(adapter, body));
    }),
    { numRuns: 4000 },
  );
  // Otherwise the property would test little.
  expect(read / asked).toBeGreaterThan(0.2);
  expect(reported / read).toBeGreaterThan(0.01);
});

test("property: for responses in pieces, the scanner gives the decoder's result or falls back to the decoder", () => {
  let several = 0;
  fc.assert(
    fc.property(fc.constantFrom(...SUBJECTS), fc.nat(), (adapter, seed) => {
      const dice = new Dice(seed);
      const payload = listText(adapter, dice) ?? payloadText(adapter, dice);
      const body = mutated(bodyText(adapter, payload, dice), dice);
      const work = pieces(adapter, body, 100);
      for (let count = 1; ; count++) {
        const step = work.next();
        if (step.done !== true) continue;
        if (step.value === undefined) return;
        if (count > 2) several++;
        expect(step.value, body.toString()).toEqual(decoded(adapter, body));
        return;
      }
    }),
    { numRuns: 4000 },
  );
  expect(several).toBeGreaterThanOrEqual(atLeast(5));
});

test("property: for values and keys with unusual spellings, the scanner gives the decoder's result or falls back to the decoder", () => {
  let read = 0;
  let asked = 0;
  const reported = { additional: 0, converted: 0, lost: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(...SUBJECTS),
      fc.nat(),
      fc.integer({ min: 2, max: 30 }),
      (adapter, seed, dirt) => {
        const dice = Object.assign(new Dice(seed), { dirt });
        const payload = dice.once(2) ? (listText(adapter, dice) ?? "{}") : payloadText(adapter, dice);
        const body = Buffer.from(bodyText(adapter, payload, dice));
        const expected = decoded(adapter, body);
        const inPieces = atOnce(pieces(adapter, body, 100));
        if (inPieces !== undefined) expect(inPieces, body.toString()).toEqual(expected);
        asked++;
        const found = scanned(adapter, body);
        if (found === undefined) return;
        read++;
        for (const { class: as } of found.differences.list) reported[as]++;
        expect(found, body.toString()).toEqual(expected);
      },
    ),
    { numRuns: 6000 },
  );
  expect(read / asked).toBeGreaterThan(0.5);
  for (const count of Object.values(reported)) expect(count).toBeGreaterThanOrEqual(atLeast(300));
});

/** Methods whose responses are random messages. */
const RANDOM = Array.from({ length: 400 }, (_, seed) => {
  const body = randomTable(new Dice(seed));
  return { body, adapter: methodReadBy(body) };
});
/** Numbers that have a high cost, or that only one of the decoders reads. */
const NUMBERS = ["1e100", "1e-300", "0e400", "-0.0", "18446744073709551616", "1.0000000000000000001"];

/** The sizes of pieces. */
const SIZES = [20, 30, 45, 70, 100, 150];

test("property: for messages with any features together, the scanner gives the decoder's result and cost, or falls back to the decoder", () => {
  let read = 0;
  let several = 0;
  fc.assert(
    fc.property(fc.constantFrom(...RANDOM), fc.nat(), ({ body: table, adapter }, seed) => {
      const dice = Object.assign(new Dice(seed), { dirt: new Dice(seed).pick([0, 4, 15]), budget: 60 });
      const plain = dice.once(2) ? (listText(adapter, dice) ?? "{}") : objectText(table, dice);
      const text = plain.replace(/(?<=[:,[])\d+(?=[,\]}])/g, (number) =>
        dice.once(20) ? dice.pick(NUMBERS) : number,
      );
      const body = mutated(text, dice);
      const expected = decoded(adapter, body);
      const limit = costOf(body.toString());
      const size = dice.pick(SIZES.filter((each) => each === 20 || 2 * each < body.length));
      const inPieces = atOnce(pieces(adapter, body, size));
      expect(atOnce(pieces(adapter, body, size, limit)), body.toString()).toEqual(inPieces);
      if (inPieces !== undefined) {
        if (body.length > 2 * size) several++;
        expect(inPieces, body.toString()).toEqual(expected);
        expect(atOnce(pieces(adapter, body, size, limit - 1)), body.toString()).toBeUndefined();
      }
      const found = scanned(adapter, body);
      if (found === undefined) return;
      read++;
      expect(found, body.toString()).toEqual(expected);
      expect(scanned(adapter, body, limit), body.toString()).toEqual(expected);
      expect(scanned(adapter, body, limit - 1), body.toString()).toBeUndefined();
    }),
    { numRuns: 4000 },
  );
  expect(read).toBeGreaterThanOrEqual(atLeast(1000));
  expect(several).toBeGreaterThanOrEqual(atLeast(8));
});

/** Returns the lowest limit that the cost of a document does not exceed. */
function costOf(text: string): number {
  let low = 0;
  for (let high = text.length * 70; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    if (isWithin(text, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

function isWithin(text: string, limit: number): boolean {
  try {
    checkJsonCost(text, limit);
    return true;
  } catch {
    return false;
  }
}

/** The headers that fields are read from, with ordinary values. */
const HEADERS = {
  etag: 'W/"1"', location: "https://a.example/1", link: '<https://a.example/?page=2>; rel="next", <x>; rel=last',
  "last-modified": "Fri, 02 Jan 2026 03:04:05 GMT", "retry-after": "5", "operation-location": "/jobs/7", "x-poll-interval": "60",
  "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1761994800", "x-ratelimit-used": "1",
  "x-remaining": "735000000000051460", "ratelimit-remaining": "7", "x-reset": "1761994800", "x-last": "true",
}; // biome-ignore format: a table
const UNUSUAL = [
  "", "text", "1e3", "-0", "99999999999999999999", "9007199254740993", "1.50", "null", "false", "0x5", " 5 ", "é",
]; // biome-ignore format: a table

test("property: fields from headers and the status follow the scanned fields, as in the decoder's result", () => {
  const subjects = SUBJECTS.filter(({ head }) => head !== undefined);
  let read = 0;
  let more = 0;
  fc.assert(
    fc.property(fc.constantFrom(...subjects), fc.nat(), (adapter, seed) => {
      const dice = new Dice(seed);
      const payload = listText(adapter, dice) ?? payloadText(adapter, dice);
      const body = mutated(bodyText(adapter, payload, dice), dice);
      const named = Object.entries(HEADERS).filter(() => dice.once(2));
      const odd = dice.once(3) ? 3 : 1000;
      const headers = Object.fromEntries(
        named.map(([name, value]) => [name, dice.once(odd) ? dice.pick(UNUSUAL) : value]),
      );
      const expected = decoded(adapter, body, undefined, headers);
      const says = `${JSON.stringify(headers)} ${body}`;
      const inPieces = atOnce(pieces(adapter, body, 100, undefined, headers));
      if (inPieces !== undefined) expect(inPieces, says).toEqual(expected);
      const found = scanned(adapter, body, undefined, headers);
      if (found === undefined) return;
      read++;
      if (found.message !== scanned(adapter, body)?.message) more++;
      expect(found, says).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
  expect(subjects.length).toBeGreaterThan(5);
  expect(read).toBeGreaterThanOrEqual(atLeast(300));
  expect(more).toBeGreaterThanOrEqual(atLeast(200));
});

test.each([
  '{"type":"link","content":null}',
  '{"type":"text","content":"x","zz":1}',
  '{"type":"blocks","content":[{"type":"text","text":"x"}],"layout":[]}',
])("a post with a key of another oneof member gives the decoder's result: %s", (post) => {
  const adapter = SUBJECTS.find(({ method }) => method.name === "ListQueuedPosts");
  if (adapter === undefined) throw new Error("no such method");
  const body = Buffer.from(`{"meta":{"status":200},"response":{"posts":[${post}]}}`);
  expect(scanned(adapter, body) ?? decoded(adapter, body)).toEqual(decoded(adapter, body));
});
