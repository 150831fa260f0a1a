import { create } from "@bufbuild/protobuf";
import { ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { expect, test } from "vitest";
import { withFieldViolations } from "./field-violations.ts";

const violations = create(ViolationsSchema, {
  violations: [
    { message: "must be at most 20", ruleId: "int32.lte", field: { elements: [{ fieldName: "limit" }] } },
    {
      message: "is too long",
      ruleId: "string.max_len",
      field: {
        elements: [
          { fieldName: "content", subscript: { case: "index", value: 2n } },
          { fieldName: "labels", subscript: { case: "stringKey", value: 'a"b' } },
        ],
      },
    },
    { message: "only one of before and offset", ruleId: "one_position" },
  ],
});

test("a validation error contains a google.rpc.BadRequest with the violations, and a reason", () => {
  const error = new ConnectError("bad", Code.InvalidArgument, undefined, [
    { desc: ViolationsSchema, value: violations },
  ]);
  const explained = withFieldViolations(error) as ConnectError;
  const [request] = explained.findDetails(BadRequestSchema);
  expect(
    request?.fieldViolations.map(({ field, description, reason }) => [field, description, reason]),
  ).toEqual([
    ["limit", "must be at most 20", "INT32_LTE"],
    ['content[2].labels["a\\"b"]', "is too long", "STRING_MAX_LEN"],
    ["", "only one of before and offset", "ONE_POSITION"],
  ]);
  expect(explained.findDetails(ErrorInfoSchema)[0]).toMatchObject({
    reason: "REQUEST_INVALID",
    domain: "connect-rest",
  });
  expect(explained.findDetails(ViolationsSchema)).toHaveLength(1);
});

test("errors other than validation errors are not changed", () => {
  const rejected = new ConnectError("no", Code.InvalidArgument);
  expect(withFieldViolations(rejected)).toBe(rejected);
  expect(rejected.details).toEqual([]);
  expect(withFieldViolations(5)).toBe(5);
});
