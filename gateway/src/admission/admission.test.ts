import { Code } from "@connectrpc/connect";
import { RetryInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LimitRejection } from "../call/limit-rejection.ts";
import { type LimitOptions, withDefaultLimits } from "../limits.ts";
import { Admission, type QueuedCall } from "./admission.ts";
import type { Overload } from "./overload.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY = 24 * 60 * 60 * 1000;

/** Creates an admission with a fake clock, and records the outcome of each call by name. */
function setup(limits: LimitOptions, now = () => Date.now()) {
  const log: string[] = [];
  const rejections: LimitRejection[] = [];
  let overload: Overload | undefined;
  const admission = new Admission(withDefaultLimits(limits), () => overload, now);
  const enter = (name: string, call: Partial<QueuedCall> = {}) =>
    admission.enter({
      client: "192.0.2.1",
      deadlineAt: now() + DAY,
      share: undefined,
      isUnary: true,
      run: () => log.push(`${name} runs`),
      reject: (rejected) => {
        log.push(`${name} rejected by ${rejected.limit}`);
        rejections.push(rejected);
      },
      ...call,
    });
  const setOverload = (next: Overload | undefined) => {
    overload = next;
  };
  return { admission, log, rejections, enter, setOverload };
}

test("up to callsInFlight calls run, and further calls wait and run in order of arrival", () => {
  const { admission, log, enter } = setup({ callsInFlight: 2 });
  const leaveA = enter("a");
  const leaveB = enter("b");
  enter("c");
  enter("d");
  expect([log, admission.running, admission.queued]).toEqual([["a runs", "b runs"], 2, 2]);
  leaveB();
  leaveA();
  expect(log).toEqual(["a runs", "b runs", "c runs", "d runs"]);
  expect([admission.running, admission.queued]).toEqual([2, 0]);
});

test("a call that finds the queue full is rejected immediately, with a retry delay", () => {
  const { log, rejections, enter } = setup({ callsInFlight: 1, queuedCalls: 1 });
  enter("a");
  enter("b");
  enter("c");
  expect(log).toEqual(["a runs", "c rejected by queuedCalls"]);
  expect(rejections[0]?.error).toMatchObject({
    code: Code.Unavailable,
    rawMessage:
      "1 calls are running, the limit callsInFlight, and 1 wait, the limit queuedCalls; try again later",
  });
  expect(rejections[0]?.error.findDetails(RetryInfoSchema)[0]?.retryDelay).toMatchObject({
    seconds: 0n,
    nanos: 100_000_000,
  });
});

test("a call that has waited for queueTimeoutMs is rejected", () => {
  const { admission, log, enter } = setup({ callsInFlight: 1, queueTimeoutMs: 500 });
  enter("a");
  const leave = enter("b");
  vi.advanceTimersByTime(499);
  expect(log).toEqual(["a runs"]);
  vi.advanceTimersByTime(1);
  expect(log).toEqual(["a runs", "b rejected by queueTimeoutMs"]);
  leave();
  expect([admission.running, admission.queued]).toEqual([1, 0]);
});

test("a waiting call is removed from the queue when its client disconnects", () => {
  const { admission, log, enter } = setup({ callsInFlight: 1 });
  const leaveA = enter("a");
  enter("b")();
  expect(admission.queued).toBe(0);
  leaveA();
  expect(log).toEqual(["a runs"]);
  expect(admission.running).toBe(0);
});

/** Creates an Admission that has measured a typical call duration of 1000 ms. */
function taught(limits: LimitOptions) {
  const all = setup({ callsInFlight: 1, queueTimeoutMs: DAY, ...limits });
  for (let i = 0; i < 200; i++) {
    const leave = all.enter("lesson");
    vi.advanceTimersByTime(1000);
    leave();
  }
  all.log.length = 0;
  return all;
}

test("a call that cannot meet its deadline is rejected on arrival", () => {
  const { log, rejections, enter } = taught({});
  enter("a");
  enter("b", { deadlineAt: Date.now() + 1500 });
  expect(log).toEqual(["a runs", "b rejected by callsInFlight"]);
  expect(rejections[0]?.error.rawMessage).toBe(
    "1 calls are running, the limit callsInFlight, and the call would wait beyond its deadline; try again later",
  );
});

test("a waiting call is rejected if a slot becomes free too late for its deadline, and the next call runs", () => {
  const { log, enter } = taught({});
  const leave = enter("a");
  enter("b", { deadlineAt: Date.now() + 2100 });
  enter("c");
  vi.advanceTimersByTime(1200);
  leave();
  expect(log).toEqual(["a runs", "b rejected by callsInFlight", "c runs"]);
});

test("a waiting call is rejected at its deadline", () => {
  const { log, enter } = setup({ callsInFlight: 1, queueTimeoutMs: DAY });
  enter("a");
  enter("b", { deadlineAt: Date.now() + 300 });
  vi.advanceTimersByTime(300);
  expect(log).toEqual(["a runs", "b rejected by callsInFlight"]);
});

test("a waiting call is not rejected before its deadline, even if a timer fires early", () => {
  for (const pace of [0.1, 0.5, 0.99]) {
    const { log, enter } = setup({ callsInFlight: 1, queueTimeoutMs: DAY }, () => Date.now() * pace);
    enter("a");
    enter("b", { deadlineAt: Date.now() * pace + 300 });
    vi.advanceTimersByTime(300);
    expect(log).toEqual(["a runs"]);
    vi.advanceTimersByTime(300 / pace);
    expect(log).toEqual(["a runs", "b rejected by callsInFlight"]);
  }
});

test("the duration of streams does not affect the estimate of a call's wait", () => {
  const { log, enter } = setup({ callsInFlight: 1, queueTimeoutMs: DAY });
  const leave = enter("stream", { isUnary: false });
  vi.advanceTimersByTime(DAY / 2);
  leave();
  enter("a");
  enter("b", { deadlineAt: Date.now() + 100 });
  expect(log).toEqual(["stream runs", "a runs"]);
});

test("a single client may exceed its share, up to three quarters of all slots, while no other client waits", () => {
  const { log, enter } = setup({ callsInFlight: 4, callsPerClient: 1 });
  for (const name of ["a", "b", "c", "d", "e"]) enter(name);
  expect(log).toEqual(["a runs", "b runs", "c runs"]);
});

test("a client above its share may not add waiting calls while another client waits", () => {
  const { log, rejections, enter } = setup({ callsInFlight: 2, callsPerClient: 2 });
  const leave = enter("a");
  enter("b");
  enter("other", { client: "192.0.2.2" });
  enter("c");
  leave();
  expect(log).toEqual(["a runs", "b runs", "c rejected by callsPerClient", "other runs"]);
  expect(rejections[0]?.error.code).toBe(Code.ResourceExhausted);
});

test("calls that wait for one upstream do not reduce a client's share at another upstream", () => {
  const { log, enter } = setup({ callsPerClient: 1 });
  const slow = { upstream: "slow", callsInFlight: 1 };
  const fast = { upstream: "fast", callsInFlight: 1 };
  enter("a", { share: slow });
  enter("other", { share: slow, client: "192.0.2.2" });
  const leave = enter("b", { share: fast });
  enter("c", { share: fast });
  leave();
  expect(log).toEqual(["a runs", "b runs", "c runs"]);
});

test("a call waits when its upstream is at its limit, while calls to other upstreams run", () => {
  const { log, rejections, enter } = setup({ queueTimeoutMs: 500 });
  const slow = { upstream: "slow", callsInFlight: 1 };
  const leave = enter("a", { share: slow });
  enter("b", { share: slow });
  enter("c", { share: { upstream: "fast", callsInFlight: 1 } });
  enter("d", { share: slow });
  leave();
  vi.advanceTimersByTime(500);
  expect(log).toEqual(["a runs", "c runs", "b runs", "d rejected by queueTimeoutMs"]);
  expect(rejections[0]?.error.code).toBe(Code.Unavailable);
});

test("the error for a call that is rejected because its upstream and the queue are full names both limits", () => {
  const { log, rejections, enter } = setup({ queuedCalls: 1 });
  const share = { upstream: "slow", callsInFlight: 1 };
  for (const name of ["a", "b", "c"]) enter(name, { share });
  expect(log).toEqual(["a runs", "c rejected by queuedCalls"]);
  expect(rejections[0]?.error.rawMessage).toBe(
    "1 calls of the upstream slow are running, its limit callsInFlight, and 1 wait, the limit queuedCalls; try again later",
  );
});

test("when a client with fewer waiting calls makes a call, a full queue drops a call of the client with the most", () => {
  const { log, rejections, enter } = setup({ callsInFlight: 1, queuedCalls: 3 });
  for (const name of ["a", "b", "c", "d"]) enter(name);
  enter("other", { client: "192.0.2.2" });
  expect(log).toEqual(["a runs", "d rejected by callsPerClient"]);
  expect(rejections[0]?.error.code).toBe(Code.ResourceExhausted);
  enter("other 2", { client: "192.0.2.2" });
  expect(log.at(-1)).toBe("other 2 rejected by queuedCalls");
});

test("IPv6 addresses in the same network count as one client", () => {
  const { log, enter } = setup({ callsInFlight: 2, callsPerClient: 2 });
  enter("a", { client: "2001:db8::1" });
  enter("b", { client: "2001:db8:0:0:ffff::2" });
  enter("other", { client: "2001:db8:0:1::1" });
  enter("c", { client: "2001:db8::3" });
  expect(log).toEqual(["a runs", "b runs", "c rejected by callsPerClient"]);
});

test("streams of one client leave the last slots to other clients", () => {
  const { log, enter } = setup({ callsInFlight: 8 });
  for (let i = 0; i < 8; i++) enter(String(i), { isUnary: false });
  expect(log).toHaveLength(6);
  enter("other", { client: "192.0.2.2", isUnary: false });
  expect(log.at(-1)).toBe("other runs");
});

test("an overloaded process rejects new calls and completes admitted calls", () => {
  const { admission, log, enter, setOverload } = setup({});
  setOverload({ limit: "heapPercent", text: "too full" });
  const rejected = admission.rejection();
  enter("a");
  setOverload(undefined);
  expect([rejected?.limit, admission.rejection(), log]).toEqual(["heapPercent", undefined, ["a runs"]]);
  expect(rejected?.error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds).toBe(1n);
});

test("every call has exactly one outcome, and all counts are zero once all calls have ended", () => {
  const step = fc.record({
    client: fc.constantFrom("a", "b"),
    upstream: fc.constantFrom("x", "y"),
    deadlineMs: fc.integer({ min: -10, max: 2000 }),
    leaves: fc.option(fc.nat(50), { nil: undefined }),
    passMs: fc.nat(400),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { admission, enter } = setup({
        callsInFlight: 3,
        queuedCalls: 3,
        callsPerClient: 4,
        queueTimeoutMs: 300,
      });
      const leaves = new Map<number, () => void>();
      const outcomes = new Map<number, number>();
      const once = (index: number) => () => void outcomes.set(index, (outcomes.get(index) ?? 0) + 1);
      for (const [index, { client, upstream, deadlineMs, leaves: gone, passMs }] of steps.entries()) {
        const share = { upstream, callsInFlight: 2 };
        const call = {
          client,
          share,
          deadlineAt: Date.now() + deadlineMs,
          run: once(index),
          reject: once(index),
        };
        leaves.set(index, enter(String(index), call));
        if (gone !== undefined) {
          leaves.get(gone)?.();
          leaves.delete(gone);
        }
        vi.advanceTimersByTime(passMs);
        expect(admission.running).toBeLessThanOrEqual(3);
        expect(admission.queued).toBeLessThanOrEqual(3);
      }
      for (const leave of leaves.values()) leave();
      vi.advanceTimersByTime(1000);
      expect([admission.running, admission.queued]).toEqual([0, 0]);
      for (const count of outcomes.values()) expect(count).toBe(1);
      const again: string[] = [];
      for (const name of ["1", "2"]) enter(name, { client: "a", run: () => again.push(name) });
      expect(again).toEqual(["1", "2"]);
    }),
    { interruptAfterTimeLimit: 3000 },
  );
});
