import fc from "fast-check";
import { expect, test } from "vitest";
import { splitTarget } from "./target.ts";

test("a target splits at its first question mark without losing characters", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("/", "a", "?", "=", "&", "%3f", "#")), (parts) => {
      const target = parts.join("");
      const { path, query } = splitTarget(target);
      expect(query === undefined ? path : `${path}?${query}`).toBe(target);
      expect(path).not.toContain("?");
    }),
  );
  expect(splitTarget(undefined)).toEqual({ path: "", query: undefined });
});
