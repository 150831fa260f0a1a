import type { DescMethod } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { withDefaultLimits } from "../limits.ts";
import {
  applyDeadline,
  type Deadline,
  deadlineOf,
  effectiveDeadline,
  parseTimeout,
  printTimeout,
  timeoutHeader,
} from "./deadline.ts";
import type { Protocol } from "./protocol.ts";

const limits = withDefaultLimits();
const { echo, repeat } = EchoService.method;

function applied(headers: Headers, protocol: Protocol, method: DescMethod, methodMs?: number): Deadline {
  const given = headers.get(timeoutHeader(protocol)) ?? undefined;
  const deadline = deadlineOf(given, protocol, method, methodMs, limits);
  applyDeadline(headers, protocol, deadline);
  return deadline;
}

test.each([
  ["connect", "0", 0],
  ["connect", "9999999999", 9_999_999_999],
  ["connect", "12345678901", undefined],
  ["connect", "1m", undefined],
  ["grpc", "1S", 1000],
  ["grpc", "99999999H", 99_999_999 * 3_600_000],
  ["grpc", "2M", 120_000],
  ["grpc", "5m", 5],
  ["grpc-web", "1500u", 1.5],
  ["grpc", "100000n", 0.1],
  ["grpc", "123456789S", undefined],
  ["grpc", "1", undefined],
  ["grpc", "1h", undefined],
] as const)("the timeout of a %s client, sent as %s, is %s ms", (protocol, text, ms) => {
  const parsed = parseTimeout(protocol, text);
  if (ms === undefined) {
    expect(parsed).toBeUndefined();
  } else {
    expect(parsed).toBeCloseTo(ms, 9);
  }
});

test("a timeout that is printed and parsed again is unchanged, except for rounding up", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("connect", "grpc", "grpc-web"),
      fc.double({ min: 0, max: 86_400_000, noNaN: true }),
      (protocol, ms) => {
        expect(parseTimeout(protocol, printTimeout(protocol, ms))).toBe(Math.ceil(ms));
      },
    ),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("the timeout is the minimum of the client's timeout, the method's or default timeout, and the maximum", () => {
  const timeout = fc.option(fc.double({ min: 0, max: 1e15, noNaN: true }), { nil: undefined });
  const setting = fc.integer({ min: 1, max: 86_400_000 });
  fc.assert(
    fc.property(timeout, timeout, setting, setting, (client, method, fallback, max) => {
      const { ms, setBy, isClientBound } = effectiveDeadline(client, method, { fallback, max });
      expect(ms).toBe(Math.min(...[client ?? Number.POSITIVE_INFINITY, method ?? fallback, max]));
      expect({ client: [client], method: [method], gateway: [fallback, max] }[setBy]).toContain(ms);
      expect(isClientBound).toBe(client !== undefined);
      expect(ms).toBeLessThan(2 ** 31);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("a method's timeout may exceed the gateway's default, and is capped at the maximum", () => {
  expect(deadlineOf(undefined, "connect", echo, 60_000, limits).ms).toBe(60_000);
  expect(deadlineOf(undefined, "connect", echo, 86_400_000, limits)).toMatchObject({
    ms: limits.maxDeadlineMs,
    setBy: "gateway",
  });
  expect(deadlineOf(undefined, "connect", echo, 60_000, withDefaultLimits({ maxDeadlineMs: 5 })).ms).toBe(5);
});

const apply = (header: Record<string, string>, methodMs?: number) => {
  const headers = new Headers(header);
  const deadline = applied(headers, "connect", echo, methodMs);
  return [deadline, headers.get("connect-timeout-ms")];
};

test("the call headers carry the gateway's timeout if neither the client nor the method sets one", () => {
  expect(apply({})).toEqual([{ ms: 15_000, setBy: "gateway", isClientBound: false }, "15000"]);
});

test("the call headers carry the method's timeout if it is shorter", () => {
  expect(apply({ "connect-timeout-ms": "9999999999" }, 2000)).toEqual([
    { ms: 2000, setBy: "method", isClientBound: true },
    "2000",
  ]);
});

test("the call headers carry the client's timeout if it is the shortest", () => {
  expect(apply({ "connect-timeout-ms": "10" }, 2000)).toEqual([
    { ms: 10, setBy: "client", isClientBound: true },
    "10",
  ]);
});

test("an invalid timeout stays in the call headers, so that the protocol handler rejects it", () => {
  expect(apply({ "connect-timeout-ms": "soon" })).toEqual([
    { ms: 15_000, setBy: "gateway", isClientBound: false },
    "soon",
  ]);
});

test("the headers of a stream carry the timeout for streams", () => {
  expect(applied(new Headers(), "grpc", repeat).ms).toBe(3_600_000);
});
