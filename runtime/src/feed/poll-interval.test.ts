import { expect, test } from "vitest";
import { askedInterval } from "./poll-interval.ts";

test.each([
  ["60", 60_000],
  [" 1.5 ", 1_500],
  ["0", 1_000],
  ["999999999", 24 * 3600 * 1_000],
  ["300, 300", 300_000],
  ["60, 300", 300_000],
  ["soon, 60", 60_000],
  ["soon", undefined],
  ["-1", undefined],
  ["", undefined],
])("a header that says %j asks for %j milliseconds", (text, ms) => {
  expect(askedInterval((name) => (name === "x-poll-interval" ? text : undefined), "x-poll-interval")).toBe(
    ms,
  );
  expect(askedInterval(() => text, undefined)).toBeUndefined();
});
