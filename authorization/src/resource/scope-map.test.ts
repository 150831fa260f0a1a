import { expect, test } from "vitest";
import { hasScopes } from "./scope-map.ts";

test("one of several configured scopes is sufficient, but all scopes of an annotation are required", () => {
  const given = new Set(["a"]);
  expect(hasScopes({ kind: "one", scopes: ["a", "b"] }, given)).toBe(true);
  expect(hasScopes({ kind: "all", scopes: ["a", "b"] }, given)).toBe(false);
  expect(hasScopes({ kind: "one", scopes: ["A"] }, given)).toBe(false);
});
