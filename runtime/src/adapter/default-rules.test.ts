import { expect, test } from "vitest";
import { completeRules, DEFAULT_RULES } from "./default-rules.ts";

test("omitted rules get their defaults, and stated rules are not changed", () => {
  expect(completeRules({ upstream: "a" })).toEqual({ ...DEFAULT_RULES, upstream: "a" });
  const rules = { upstream: "a", base: "b", success: [304], timeoutMs: 5 };
  expect(completeRules(rules)).toEqual({ ...DEFAULT_RULES, ...rules });
});

test("complete rules are not changed, and each method gets a separate object", () => {
  const first = completeRules({ upstream: "a", idempotent: true });
  const second = completeRules(first);
  expect(second).toEqual(first);
  expect(second).not.toBe(first);
});

test("the rules of all methods begin with the same properties", () => {
  const keys = Object.keys(DEFAULT_RULES);
  for (const rules of [{ upstream: "a" }, { success: [], upstream: "a", base: "b", idempotent: true }]) {
    expect(Object.keys(completeRules(rules)).slice(0, keys.length)).toEqual(keys);
  }
});
