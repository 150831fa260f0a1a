import { Code } from "@connectrpc/connect";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { hungUp } from "./call-errors.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"], now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

test.each([
  ["client", 1000, 1000, Code.DeadlineExceeded],
  ["client", 1000, 950, Code.DeadlineExceeded],
  ["client", 100, 60, Code.DeadlineExceeded],
  ["client", 10, 0, Code.DeadlineExceeded],
  ["client", 60_000, 55_000, Code.DeadlineExceeded],
  ["client", 1000, 500, Code.Canceled],
  ["client", 60_000, 1000, Code.Canceled],
  ["gateway", 1000, 999, Code.Canceled],
  ["method", 1000, 999, Code.Canceled],
] as const)(
  "if the %s sets a deadline of %i ms, and the client disconnects after %i ms, the call ends with code %i",
  (setBy, ms, ageMs, code) => {
    const startedAt = performance.now();
    vi.advanceTimersByTime(ageMs);
    const deadline = { ms, setBy, isClientBound: setBy === "client" };
    expect(hungUp({ deadline, startedAt }).code).toBe(code);
  },
);
