import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { askedInterval, PollInterval } from "./poll-interval.ts";

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
])("the header %j requests an interval of %j milliseconds", (text, ms) => {
  expect(askedInterval((name) => (name === "x-poll-interval" ? text : undefined), "x-poll-interval")).toBe(
    ms,
  );
  expect(askedInterval(() => text, undefined)).toBeUndefined();
});

const anyMs = fc.oneof(
  fc.double({ noNaN: true, min: 0, max: 2 ** 40 }),
  fc.constantFrom(0, 0.001, 999.9, 1_000),
);
const anyHeader = fc.oneof(
  fc.constantFrom(undefined, "", "0", "0.0001", "soon", "0, 0.5"),
  fc.double({ noNaN: true, min: 0, max: 10 }).map(String),
);
const anyError = fc.constantFrom(undefined, new ConnectError("gone", Code.Unavailable));

test("polls are at least a second apart, for any interval of an adapter or an upstream", () => {
  fc.assert(
    fc.property(anyMs, fc.array(fc.tuple(anyHeader, anyError)), (intervalMs, polls) => {
      const interval = new PollInterval({ intervalMs, intervalHeader: "x-poll-interval" });
      for (const [header, error] of polls) {
        interval.responded(() => header);
        expect(interval.waitAfter(error)).toBeGreaterThanOrEqual(1_000);
      }
      expect(interval.ms).toBeGreaterThanOrEqual(1_000);
    }),
  );
});
