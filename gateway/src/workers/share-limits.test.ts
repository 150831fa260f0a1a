import fc from "fast-check";
import { expect, test } from "vitest";
import { LIMIT_NAMES, LIMIT_TABLE, type LimitName } from "../limits.ts";
import { shareLimits, shareUpstream } from "./share-limits.ts";

/** Limits that hold for one connection, request or message, wherever it is; and times. */
const EACH: ReadonlySet<LimitName> = new Set<LimitName>([
  "heapPercent",
  "headerBytes",
  "headerCount",
  "urlBytes",
  "readMaxBytes",
  "writeMaxBytes",
  "messageDepth",
  "messageCost",
  "streamsPerConnection",
  "resetsPerSecond",
]);

test("every limit is a time, holds for one connection or request, or is shared by the workers", () => {
  const whole = LIMIT_NAMES.filter((name) => LIMIT_TABLE[name].unit !== "ms" && !EACH.has(name));
  expect(Object.keys(shareLimits({}, 2)).toSorted()).toEqual(whole.toSorted());
});

test("the parts of all workers are together what one process has, but for what is rounded up", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 256 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      (workers, value) => {
        const { callsInFlight = 0, urlBytes } = shareLimits(
          { callsInFlight: value, urlBytes: value },
          workers,
        );
        expect(callsInFlight).toBeGreaterThanOrEqual(1);
        expect(callsInFlight * workers).toBeGreaterThanOrEqual(value);
        expect((callsInFlight - 1) * workers).toBeLessThan(value);
        expect(urlBytes).toBe(value);
      },
    ),
  );
});

test("workers share the connections, the calls and the declared rate limits of an upstream", () => {
  expect(shareUpstream({ baseUrl: "http://up.example" }, 4)).toEqual({
    baseUrl: "http://up.example",
    connections: 32,
    callsInFlight: 256,
    rateLimits: { share: 0.25 },
  });
  expect(shareUpstream({ rateLimits: { share: 0.5 }, connections: 3 }, 2)).toMatchObject({
    rateLimits: { share: 0.25 },
    connections: 2,
  });
  expect(shareUpstream({ rateLimits: false }, 2)).toMatchObject({ rateLimits: false });
});
