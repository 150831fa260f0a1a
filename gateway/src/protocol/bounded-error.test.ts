import { create, toBinary } from "@bufbuild/protobuf";
import { ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { gatewayError } from "../call/gateway-error.ts";
import { BODY_BOUNDS, boundedError, HEADER_BOUNDS } from "./bounded-error.ts";
import { statusTrailers } from "./status-trailers.ts";

const violation = (index: number, size: number) => ({
  field: `field${index}`,
  description: "x".repeat(size),
});
const badRequest = (count: number, size = 100) => ({
  desc: BadRequestSchema,
  value: { fieldViolations: Array.from({ length: count }, (_, i) => violation(i, size)) },
});
const violations = (count: number) => ({
  desc: ViolationsSchema,
  value: {
    violations: Array.from({ length: count }, (_, i) => ({ ruleId: `rule${i}`, message: "y".repeat(90) })),
  },
});
const retry = { desc: RetryInfoSchema, value: { retryDelay: { seconds: 1n } } };

test("a small error is returned as the same object", () => {
  const error = gatewayError("REQUEST_INVALID", "a: no", Code.InvalidArgument, [badRequest(3), retry]);
  expect(boundedError(error, HEADER_BOUNDS)).toBe(error);
  expect(boundedError(error, BODY_BOUNDS)).toBe(error);
});

test("a message whose encoded size is too large is truncated, and ends with dots", () => {
  const cut = (text: string) => boundedError(new ConnectError(text), HEADER_BOUNDS).rawMessage;
  expect(cut("a".repeat(1024))).toBe("a".repeat(1024));
  expect(cut("a".repeat(1025))).toBe(`${"a".repeat(1021)}...`);
  expect(cut("ä".repeat(1000))).toBe(`${"ä".repeat(170)}...`);
  expect(cut("🌳".repeat(1000))).toBe(`${"🌳".repeat(85)}...`);
});

test("violations are removed from the end of their list, and small details are kept", () => {
  const error = gatewayError("REQUEST_INVALID", "a: no", Code.InvalidArgument, [
    violations(500),
    badRequest(500),
    retry,
  ]);
  const bounded = boundedError(error, HEADER_BOUNDS);
  const [info] = bounded.findDetails(ErrorInfoSchema);
  const [bad] = bounded.findDetails(BadRequestSchema);
  expect([info?.reason, bounded.findDetails(RetryInfoSchema).length]).toEqual(["REQUEST_INVALID", 1]);
  const count =
    (bad?.fieldViolations.length ?? 0) + (bounded.findDetails(ViolationsSchema)[0]?.violations.length ?? 0);
  expect(count).toBeGreaterThan(15);
  expect(bad?.fieldViolations[0]?.field ?? "field0").toBe("field0");
});

test("a large error detail that cannot be shortened is removed", () => {
  const info = { desc: ErrorInfoSchema, value: { reason: "A", metadata: { a: "x".repeat(100_000) } } };
  const error = new ConnectError("a", Code.Internal, undefined, [info, retry]);
  const bounded = boundedError(error, HEADER_BOUNDS);
  expect([bounded.findDetails(ErrorInfoSchema).length, bounded.findDetails(RetryInfoSchema).length]).toEqual([
    0, 1,
  ]);
});

test("the trailers of any error fit into 8 KiB, and the message decodes to the beginning of the original", () => {
  const detail = fc.oneof(
    fc.tuple(fc.nat(300), fc.nat(2000)).map(([count, size]) => badRequest(count, size)),
    fc.nat(300).map(violations),
    fc.dictionary(fc.string(), fc.string({ maxLength: 3000 })).map((metadata) => ({
      desc: ErrorInfoSchema,
      value: { reason: "A", metadata },
    })),
  );
  const text = fc.oneof(fc.string({ unit: "binary", maxLength: 3000 }), fc.string({ maxLength: 5000 }));
  fc.assert(
    fc.property(text, fc.array(detail, { maxLength: 4 }), (message, details) => {
      const error = new ConnectError(message, Code.Internal, undefined, details);
      const trailers = statusTrailers(error);
      const size = [...trailers].reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
      expect(size).toBeLessThan(8 * 1024);
      const decoded = decodeURIComponent(trailers.get("grpc-message") ?? "");
      expect(message.toWellFormed().startsWith(decoded.replace(/\.\.\.$/, ""))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("the details of an error in a body stay within their bounds", () => {
  const error = new ConnectError("x".repeat(10_000), Code.InvalidArgument, undefined, [badRequest(5000)]);
  const bounded = boundedError(error, BODY_BOUNDS);
  expect(bounded.rawMessage.length).toBe(4096);
  const [bad] = bounded.findDetails(BadRequestSchema);
  expect(toBinary(BadRequestSchema, bad ?? create(BadRequestSchema)).length).toBeLessThan(64 * 1024);
  expect(bad?.fieldViolations.length).toBeGreaterThan(400);
});
