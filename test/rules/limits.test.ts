import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { reasonOf } from "../../runtime/src/errors/rest-error.ts";
import { retryDelayOf } from "../../runtime/src/errors/retry-info.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { FakeClock } from "../../runtime/src/testing/fake-clock.ts";
import { LimitChoice_Kind, LimitService } from "../gen/rules/v1/limits_pb.ts";
import { LimitServiceRest } from "../gen/rules/v1/limits_rest.ts";
import { type Settings, start } from "./world.ts";

/** Two hours before midnight in New York. */
const EVENING = Date.UTC(2026, 0, 2, 3);

const limits = (clock: FakeClock, upstream: Settings["upstream"] = {}, timeoutMs = 1_000) =>
  start(LimitService, LimitServiceRest, {}, { clock, timeoutMs, upstream });

test("requests, window and bucket: methods share a sliding window", async () => {
  const clock = new FakeClock(EVENING);
  const { client, seen } = await limits(clock);
  await client.callOne({});
  clock.advance(4_000);
  await client.callOther({});
  const error = await failureOf(client.callOne({}));
  expect([error.code, retryDelayOf(error)]).toEqual([Code.ResourceExhausted, 6_000]);
  expect(seen.map(({ line }) => line)).toEqual(["GET /one", "GET /other"]);
  clock.advance(6_001);
  await client.callOther({});
  expect(seen).toHaveLength(3);
});

test("a call waits for the rate limit if its deadline allows it", async () => {
  const clock = new FakeClock(EVENING);
  const { client, seen } = await limits(clock, {}, 60_000);
  await client.callOne({});
  await client.callOne({});
  const third = client.callOne({}, { timeoutMs: 30_000 });
  while (clock.running < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toHaveLength(2);
  clock.advance(10_001);
  await third;
  expect(seen).toHaveLength(3);
});

test("calendar_day: the limit resets at midnight in the service's time zone", async () => {
  const clock = new FakeClock(EVENING);
  const { client } = await limits(clock, { credentials: () => ({ apiKey: `k${clock.now()}` }) });
  for (let call = 0; call < 5; call++) {
    await client.callOwn({});
    clock.advance(1);
  }
  const error = await failureOf(client.callOwn({}));
  // Clocks are inexact, so the next day begins slightly late.
  expect([error.code, retryDelayOf(error)]).toEqual([Code.ResourceExhausted, 2 * 3_600_000 - 5 + 10]);
});

test("per_credentials: each set of credentials has a separate count", async () => {
  const keys = ["a", "a", "b"];
  const { client, seen } = await limits(new FakeClock(EVENING), {
    credentials: () => ({ apiKey: keys.shift() ?? "" }),
  });
  await client.callOwn({});
  expect((await failureOf(client.callOwn({}))).code).toBe(Code.ResourceExhausted);
  await client.callOwn({});
  expect(seen.map(({ headers }) => headers)).toEqual([["x-key: a"], ["x-key: b"]]);
});

const { OPEN, SHARED, CLOSED } = LimitChoice_Kind;

test.each([
  ["a value of an enum", { kind: OPEN }, { kind: SHARED }],
  ["a field of a message", { target: { link: "a" } }, { target: { link: "b" } }],
  ["an item of a list", { tags: ["a", "rare"] }, { tags: ["rare"] }],
])("when: only requests with %s count against the limit", async (_what, first, second) => {
  const { client, seen } = await limits(new FakeClock(EVENING), { credentials: { apiKey: "k" } });
  for (const message of [first, { kind: CLOSED }, { target: {} }, { tags: ["a"] }]) {
    await client.callSometimes(message);
  }
  expect(reasonOf(await failureOf(client.callSometimes(second)))).toBe("LOCAL_RATE_LIMIT");
  expect(seen).toHaveLength(4);
});

test("timeout: the method's deadline applies if it is earlier than the caller's", async () => {
  const clock = new FakeClock(EVENING);
  const came = Promise.withResolvers<void>();
  const { client } = await start(
    LimitService,
    LimitServiceRest,
    () => {
      came.resolve();
      return new Promise(() => undefined);
    },
    { clock },
  );
  const call = failureOf(client.callSlow({}, { timeoutMs: 60_000 }));
  await came.promise;
  clock.advance(1_499);
  clock.advance(1);
  const error = await call;
  expect([error.code, error.rawMessage]).toEqual([Code.DeadlineExceeded, expect.stringContaining("1500 ms")]);
});
