import type { JsonValue, TimeRule } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CursorFault, cursorBigInt, cursorNumber, cursorTime } from "./cursor.ts";

function rejection(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof CursorFault) return error.message;
    throw error;
  }
  throw new Error("expected a rejection");
}

test("a cursor in a response is converted to the type of its request field", () => {
  expect([cursorNumber(5), cursorNumber("-5")]).toEqual([5, -5]);
  expect([
    cursorBigInt(5),
    cursorBigInt("700000000000000001"),
    cursorBigInt(700_000_000_000_000_001n),
  ]).toEqual([5n, 700_000_000_000_000_001n, 700_000_000_000_000_001n]);
  expect(cursorTime(1_500, "millis")).toMatchObject({ seconds: 1n, nanos: 500_000_000 });
});

test.each<[string, () => unknown]>([
  ["a rounded number", () => cursorBigInt(2 ** 60)],
  ["a string that is not a number", () => cursorNumber("x")],
  ["a fraction", () => cursorNumber(1.5)],
  ["an integer beyond 2^53 for a field of 32 bits", () => cursorNumber("700000000000000001")],
  ["a string that is not a time", () => cursorTime("soon", "iso8601")],
  ["an object", () => cursorNumber({ toString: 1 } as JsonValue)],
])("a cursor in a response is rejected as an upstream error if it is %s", (_, action) => {
  expect(rejection(action)).not.toBe("");
});

test.each<[TimeRule, string]>([
  ["seconds", "seconds"],
  ["millis", "milliseconds"],
  ["micros", "microseconds"],
  ["nanos", "nanoseconds"],
  ["iso8601", "ISO 8601"],
  ["http_date", "an HTTP date"],
  ["rfc2822", "an RFC 2822 date"],
  [{ pattern: "yyyy-MM-dd" }, "yyyy-MM-dd"],
])("the error for a cursor that is not a time names the expected notation %j", (rule, notation) => {
  expect(rejection(() => cursorTime("soon", rule))).toBe(`expected a time as ${notation}, got "soon"`);
});

test("a cursor in a response is converted to an integer, or rejected", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const read of [cursorNumber, cursorBigInt]) {
        try {
          expect(Number.isInteger(Number(read(value as JsonValue)))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(CursorFault);
        }
      }
    }),
  );
});
