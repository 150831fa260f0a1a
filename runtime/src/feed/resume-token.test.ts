import fc from "fast-check";
import { expect, test } from "vitest";
import { ResumeTokens } from "./resume-token.ts";
import { MAX_TOKEN_IDS, TokenIds } from "./token-ids.ts";

const KEY = "k".repeat(32);
const tokens = new ResumeTokens([KEY]);
const decimal = fc.bigInt({ min: 0n, max: 9_999_999_999_999_999_999n }).map(String);
const word = fc.string({ minLength: 1, maxLength: 20 });

function idsOf(read: ReturnType<ResumeTokens["read"]>): TokenIds {
  if (read instanceof TokenIds) return read;
  throw new Error(`rejected: ${read}`);
}

test("a token contains exactly the keys from which it was created", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(decimal, word), { maxLength: 60 }), word, (keys, feed) => {
      const [others, mine] = [keys.slice(0, 5), keys.slice(5)];
      const ids = idsOf(tokens.read(feed, tokens.write(feed, mine)));
      expect(mine.every((key) => ids.has(key))).toBe(true);
      expect(others.some((key) => ids.has(key))).toBe(false);
      expect(ids.size).toBe(mine.length);
    }),
  );
});

test("a token that was changed, shortened or extended at any position is rejected", () => {
  const token = tokens.write("feed", ["1", "22", "x"]);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(..."AZaz09-_"), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      if (changed !== token) expect(tokens.read("feed", changed)).toBe("damaged");
    }),
    { numRuns: 500 },
  );
  for (let length = 0; length < token.length; length++) {
    expect(tokens.read("feed", token.slice(0, length))).toBe("damaged");
  }
  for (const more of ["A", "AA", "=", " ", "\n"]) expect(tokens.read("feed", token + more)).toBe("damaged");
});

test("an unsigned token with valid content is rejected", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(tokens.read("feed", text)).toBe("damaged");
    }),
  );
});

test("the error for a token of another feed differs from the error for a damaged token", () => {
  expect(tokens.read("other", tokens.write("feed", []))).toBe("foreign");
});

test("a token of 300 consecutive ids is about a thousand characters long, and so is a token of 1,024 ids", () => {
  const keys = Array.from({ length: 300 }, (_, index) => String(47_000_000_000n + BigInt(index) * 911n));
  expect(tokens.write("feed", keys).length).toBeLessThan(1_000);
  const hashed = Array.from({ length: 2_000 }, (_, index) => `event-${index}`);
  const ids = idsOf(tokens.read("feed", tokens.write("feed", hashed)));
  expect(ids.size).toBe(MAX_TOKEN_IDS);
  // only the first 1,024 keys are kept
  expect([ids.has("event-0"), ids.has("event-1023"), ids.has("event-1024")]).toEqual([true, true, false]);
});

test("additional keys of a token are copied to the next token", () => {
  const ids = idsOf(tokens.read("feed", tokens.write("feed", ["1", "2", "a", "b"])));
  const ahead = ids.without(["1", "a", "9"]);
  const next = idsOf(tokens.read("feed", tokens.write("feed", ["1", "9"], ahead)));
  expect(["1", "2", "a", "b", "9"].map((key) => next.has(key))).toEqual([true, true, false, true, true]);
  expect(ids.without(["1", "2", "a", "b"])).toBeUndefined();
});

test("the hash of a name depends on the key, and does not reveal the name", () => {
  const hash = tokens.hash("events.v1 /events configured oauth2");
  expect(hash).toMatch(/^[\w-]{32}$/);
  expect(new ResumeTokens(["x".repeat(32)]).hash("events.v1 /events configured oauth2")).not.toBe(hash);
});
