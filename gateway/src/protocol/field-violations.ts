import {
  type FieldPath,
  type Violation,
  ViolationsSchema,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";

/**
 * Adds standard details to a validation error: its violations as google.rpc.BadRequest, which clients in all
 * languages support, and google.rpc.ErrorInfo with the reason REQUEST_INVALID. Other errors are not changed.
 */
export function withFieldViolations(error: unknown): unknown {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) return error;
  const violations = error.findDetails(ViolationsSchema).flatMap((detail) => detail.violations);
  if (violations.length === 0) return error;
  const fieldViolations = violations.map((violation) => ({
    field: fieldOf(violation),
    description: violation.message,
    reason: violation.ruleId.toUpperCase().replace(/[^A-Z0-9]+/g, "_"),
  }));
  error.details.push(
    { desc: BadRequestSchema, value: { fieldViolations } },
    { desc: ErrorInfoSchema, value: { reason: "REQUEST_INVALID", domain: "connect-rest" } },
  );
  return error;
}

function fieldOf({ field }: Violation): string {
  return field === undefined ? "" : pathText(field);
}

/** Formats a path: `tags[3]`, `content[0].text`, `labels["a"]`. */
function pathText({ elements }: FieldPath): string {
  return elements
    .map(({ fieldName, subscript }) => {
      if (subscript.case === undefined) return fieldName;
      const key = subscript.case === "stringKey" ? JSON.stringify(subscript.value) : String(subscript.value);
      return `${fieldName}[${key}]`;
    })
    .join(".");
}
