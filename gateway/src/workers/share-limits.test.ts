import fc from "fast-check";
import { expect, test } from "vitest";
import type { Prepared } from "../config/inspect.ts";
import { LIMIT_NAMES, LIMIT_TABLE, type LimitName } from "../limits.ts";
import { shareConfiguration, shareLimits, shareUpstream } from "./share-limits.ts";

/** Limits that apply to one connection, request or message in any worker. */
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

test("every limit is a time, applies to a single connection, request or message, or is shared by the workers", () => {
  const whole = LIMIT_NAMES.filter((name) => LIMIT_TABLE[name].unit !== "ms" && !EACH.has(name));
  expect(Object.keys(shareLimits({}, 2)).toSorted()).toEqual(whole.toSorted());
});

test("the workers' shares of a limit add up to the limit, apart from rounding up", () => {
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

test("workers share an upstream's connections, calls and declared rate limits", () => {
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

test("all workers use the configured key for resume tokens, or a key from the primary process if none is configured", () => {
  const config = { server: { limits: {} } } as unknown as Prepared["config"];
  const prepared = {
    config,
    upstreams: {},
    watching: { watch: undefined, bus: undefined },
  } as unknown as Prepared;
  const share = { number: 2, count: 3, resumeKey: "a key of the primary process" };
  expect(shareConfiguration(prepared, share).watching.watch).toEqual({ resumeKey: share.resumeKey });
  const watch = { resumeKey: "a key of the configuration" };
  const configured = { ...prepared, watching: { watch, bus: undefined } };
  expect(shareConfiguration(configured, share).watching.watch).toEqual(watch);
});
