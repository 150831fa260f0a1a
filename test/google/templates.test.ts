import fc from "fast-check";
import { expect, test } from "vitest";
import { applyPattern } from "../../node_modules/google-gax/build/src/transcoding.js";
import { fits, pathPattern } from "../../runtime/src/request/path-pattern.ts";

const literal = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,5}$/);
/** A pattern with at most one `**`. Another test covers the pattern `*`, in which a slash is escaped. */
const pattern = fc
  .tuple(
    fc.array(fc.oneof(literal, fc.constant("*")), { minLength: 1, maxLength: 4 }),
    fc.nat(4),
    fc.boolean(),
  )
  .map(([parts, at, isDeep]) => (isDeep ? parts.toSpliced(at, 0, "**") : parts))
  .filter((parts) => parts.length > 1);
const segment = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 6 })
  .filter((text) => text !== "." && text !== ".." && !/[/\p{Cc}\u2028\u2029]/u.test(text));

/** Generates a random value that matches a pattern. */
function filling(parts: readonly string[]): fc.Arbitrary<string> {
  const pieces = parts.map((part) => {
    if (part === "**") {
      return fc.array(segment, { minLength: 1, maxLength: 3 }).map((items) => items.join("/"));
    }
    return part === "*" ? segment : fc.constant(part);
  });
  return fc.tuple(...pieces).map((items) => items.join("/"));
}

test("property: pathPattern encodes a matching value like google-gax", () => {
  const cases = pattern.chain((parts) => fc.tuple(fc.constant(parts.join("/")), filling(parts)));
  fc.assert(
    fc.property(cases, ([template, value]) => {
      expect(fits(value, template)).toBe(true);
      const path = pathPattern(value, template, "name");
      expect(path).toBe(applyPattern(template, value));
      expect(path.split("/").map(decodeURIComponent)).toEqual(value.split("/"));
    }),
  );
});

test("property: fits and google-gax accept the same values for a pattern", () => {
  const values = fc.array(fc.oneof(segment, fc.constantFrom("a", "b")), { minLength: 1, maxLength: 5 });
  const patterns = fc.array<string>(fc.constantFrom("a", "b", "*"), { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(values, patterns, fc.option(fc.nat(3)), (items, parts, deep) => {
      const value = items.join("/");
      const template = (deep === null ? parts : parts.toSpliced(deep, 1, "**")).join("/");
      expect(fits(value, template)).toBe(applyPattern(template, value) !== undefined);
    }),
    { numRuns: 500 },
  );
});
