import fc from "fast-check";
import { expect, test } from "vitest";
import type { FeedEntryKind } from "../call/feed-bus.ts";
import { decodeFeedEntry, encodeFeedEntry, type FeedEntry, FeedEntryInvalid } from "./bus-entry.ts";

const key = fc.string({ minLength: 1, maxLength: 40 });
const item = fc.record({ key, bytes: fc.uint8Array({ maxLength: 50 }), late: fc.boolean() });
const entry: fc.Arbitrary<FeedEntry> = fc
  .record({
    kind: fc.constantFrom<FeedEntryKind>("window", "news", "poll"),
    polledAt: fc.nat(),
    intervalMs: fc.integer({ min: 1000, max: 86_400_000 }),
    gap: fc.boolean(),
    full: fc.boolean(),
    reach: fc.option(fc.nat(10_000), { nil: undefined }),
    waitMs: fc.option(fc.nat(86_400_000), { nil: undefined }),
    failure: fc.option(fc.record({ code: fc.integer({ min: 1, max: 16 }), reason: key }), { nil: undefined }),
    items: fc.array(item, { maxLength: 5 }),
    listed: fc.array(key, { maxLength: 5 }),
  })
  .map((each) => (each.kind === "poll" ? { ...each, items: [], listed: [] } : each));

const EXAMPLE: FeedEntry = {
  kind: "news",
  polledAt: 1,
  intervalMs: 60_000,
  gap: false,
  full: false,
  items: [{ key: "1", bytes: Uint8Array.of(1, 2), late: true }],
  listed: ["1", "2"],
};

test("an encoded entry is decoded unchanged", () => {
  fc.assert(
    fc.property(entry, (each) => {
      expect(decodeFeedEntry(encodeFeedEntry(each))).toEqual(each);
    }),
  );
});

test("arbitrary bytes are decoded as an entry or rejected with the documented error", () => {
  const damaged = fc
    .tuple(entry, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat())
    .map(([each, changes, cut]) => {
      const bytes = encodeFeedEntry(each);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      return bytes.subarray(0, bytes.length - (cut % 3));
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 100 }), damaged), (bytes) => {
      try {
        const { intervalMs, items, listed } = decodeFeedEntry(bytes);
        expect(intervalMs).toBeLessThanOrEqual(86_400_000);
        expect([...listed, ...items.map((each) => each.key)]).not.toContain("");
      } catch (error) {
        expect(error).toBeInstanceOf(FeedEntryInvalid);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["another version", (bytes: Uint8Array) => bytes.with(1, 2), "version 2"],
  ["nothing", () => new Uint8Array(), "no kind"],
  ["an entry above the maximum size", () => new Uint8Array(16 * 1024 * 1024 + 1), "16777217 bytes"],
  ["text", () => new TextEncoder().encode("hello"), "version 0"],
  ["an unknown field", (bytes: Uint8Array) => Uint8Array.of(...bytes, 0x78, 1), "field 15"],
])("%s is rejected as an entry", (_what, change, text) => {
  expect(() => decodeFeedEntry(change(encodeFeedEntry(EXAMPLE)))).toThrow(text);
});

test("an entry with too many items, keys that are too long, or an item without a key is rejected", () => {
  const many = Array.from({ length: 10_001 }, (_, index) => String(index));
  const itemsOf = (keys: string[]) =>
    keys.map((each) => ({ key: each, bytes: new Uint8Array(), late: false }));
  for (const broken of [
    { listed: many },
    { items: itemsOf(many) },
    { listed: ["k".repeat(129)] },
    { items: itemsOf([""]) },
    { intervalMs: 86_400_001 },
    { kind: "poll" as const },
  ]) {
    expect(() => decodeFeedEntry(encodeFeedEntry({ ...EXAMPLE, ...broken }))).toThrow(FeedEntryInvalid);
  }
});

test.each([
  ["an entry", [], Uint8Array.of(0x28, 1)],
  ["an item", [0x32], Uint8Array.of(0x18, 1)],
])("an entry that repeats %s fields too often is rejected", (_what, tag, field) => {
  const many = Buffer.concat(Array(30_000).fill(field));
  const length =
    tag.length === 0
      ? []
      : [0x80 | (many.length & 127), 0x80 | ((many.length >> 7) & 127), many.length >> 14];
  const bytes = Buffer.concat([encodeFeedEntry(EXAMPLE), Buffer.from([...tag, ...length]), many]);
  expect(() => decodeFeedEntry(bytes)).toThrow(/^fields.*: more than/);
});

test("a decoded item does not keep the bytes of its entry in memory", () => {
  const [first] = decodeFeedEntry(encodeFeedEntry(EXAMPLE)).items;
  expect(first?.bytes.buffer.byteLength).toBe(2);
});
