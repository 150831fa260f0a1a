import { expect, test } from "vitest";
import { SeenKeys } from "./seen-keys.ts";

/** Adds a page, and returns the indexes of its new keys. */
function news(seen: SeenKeys, page: readonly string[]): number[] {
  const found = seen.unseen(page);
  seen.see(page);
  return found;
}

test("the number of seen keys is bounded, and keys that are seen again are kept", () => {
  const seen = new SeenKeys();
  news(seen, ["pinned"]);
  for (let index = 0; index < 20_000; index += 10) {
    const page = Array.from({ length: 10 }, (_, at) => `k${index + at}`);
    expect(news(seen, ["pinned", ...page])).toHaveLength(10);
  }
  expect(seen.all.size).toBe(4096 + 11);
  expect(news(seen, ["pinned", "k0", "k19999"])).toEqual([1]);
});

test("all keys of a page are remembered, even if the page is long", () => {
  const seen = new SeenKeys();
  const page = Array.from({ length: 10_000 }, (_, at) => `k${at}`);
  expect(news(seen, page)).toHaveLength(10_000);
  expect(news(seen, page)).toEqual([]);
});

test("of two equal keys, only the first is new", () => {
  expect(new SeenKeys().unseen(["a", "b", "a"])).toEqual([0, 1]);
});
