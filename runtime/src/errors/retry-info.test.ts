import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RetryAfterRule } from "../adapter/rules.ts";
import { retryDelayMs, retryDelayOf, retryInfo } from "./retry-info.ts";

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const HOUR_AND_DAY: readonly RetryAfterRule[] = [
  {
    header: "X-Ratelimit-Perday-Reset",
    format: "seconds",
    when: { name: "X-Ratelimit-Perday-Remaining", value: "0" },
  },
  {
    header: "X-Ratelimit-Perhour-Reset",
    format: "seconds",
    when: { name: "X-Ratelimit-Perhour-Remaining", value: "0" },
  },
];
const EPOCH: readonly RetryAfterRule[] = [{ header: "X-RateLimit-Reset", format: "epoch" }];

function delay(
  headers: Readonly<Record<string, string>>,
  rules: readonly RetryAfterRule[] = [],
  code = Code.ResourceExhausted,
): number | undefined {
  return retryDelayMs((name) => headers[name], rules, code, NOW);
}

test("the retry delay is undefined without a header", () => {
  expect(delay({})).toBeUndefined();
  expect(delay({}, HOUR_AND_DAY)).toBeUndefined();
});

test.each([
  ["5", 5000],
  [" 1.5 ", 1500],
  ["0", 0],
  ["Fri, 02 Jan 2026 03:05:05 GMT", 60_000],
  ["Fri, 02 Jan 2026 03:00:00 GMT", 0],
  ["-5", undefined],
  ["soon", undefined],
  ["", undefined],
  ["2026-01-02", undefined],
  ["Fri, 99 Jan 2026 03:05:05 GMT", undefined],
  ["1e9", undefined],
  ["99999999999999", 366 * 24 * 3_600_000],
])("with Retry-After %j the retry delay is %s ms", (value, expected) => {
  expect(delay({ "retry-after": value })).toBe(expected);
});

test("the first rule that applies determines the retry delay; without such a rule, Retry-After determines it", () => {
  const headers = {
    "x-ratelimit-perday-remaining": "10",
    "x-ratelimit-perday-reset": "9999",
    "x-ratelimit-perhour-remaining": "0",
    "x-ratelimit-perhour-reset": "12.25",
    "retry-after": "7",
  };
  expect(delay(headers, HOUR_AND_DAY)).toBe(12_250);
  expect(delay({ ...headers, "x-ratelimit-perhour-remaining": "3" }, HOUR_AND_DAY)).toBe(7000);
  expect(delay({ ...headers, "x-ratelimit-perhour-reset": "soon" }, HOUR_AND_DAY)).toBe(7000);
});

test("a retry time in seconds since 1970 is converted to a delay, which is 0 for a time in the past", () => {
  expect(delay({ "x-ratelimit-reset": String(NOW / 1000 + 30) }, EPOCH)).toBe(30_000);
  expect(delay({ "x-ratelimit-reset": String(NOW / 1000 - 30) }, EPOCH)).toBe(0);
});

test("the retry delay ignores rate limit headers for errors that a retry cannot fix", () => {
  expect(delay({ "x-ratelimit-reset": String(NOW / 1000 + 30) }, EPOCH, Code.NotFound)).toBeUndefined();
  expect(delay({ "retry-after": "3" }, EPOCH, Code.NotFound)).toBe(3000);
});

test("the header of a rule may contain a date", () => {
  const rules = [{ header: "x-again", format: "http_date" }] as const;
  expect(delay({ "x-again": "Fri, 02 Jan 2026 03:04:06 GMT" }, rules)).toBe(1000);
});

test("for any header, the retry delay is a whole number of milliseconds within a year", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (value) => {
      const found = delay({ "retry-after": value, "x-ratelimit-reset": value }, EPOCH);
      if (found === undefined) return;
      expect(Number.isInteger(found) && found >= 0 && found <= 366 * 24 * 3_600_000).toBe(true);
    }),
  );
});

test("property: the delay in a RetryInfo of the upstream is never negative", () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), (milliseconds) => {
      const error = new ConnectError("", Code.Unavailable, undefined, [retryInfo(milliseconds)]);
      expect(retryDelayOf(error)).toBeCloseTo(Math.max(0, milliseconds));
    }),
  );
});
