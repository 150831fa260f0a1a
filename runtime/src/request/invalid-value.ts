import type { ConnectError } from "@connectrpc/connect";
import { restError } from "../errors/rest-error.ts";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.ts";

/** What is wrong with a value of the caller, and what to send instead. */
export interface ValueProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** INVALID_ARGUMENT for a value that cannot stand in the path; with a google.rpc.BadRequest field violation. */
export function invalidPathValue(field: string, { problem, remedy }: ValueProblem): ConnectError {
  return restError("PATH_VALUE_INVALID", { field, problem, remedy }, violation(field, problem));
}

/** INVALID_ARGUMENT for a value that cannot stand in the query, a form, a header or a cookie. */
export function invalidParameter(
  field: string,
  place: string,
  { problem, remedy }: ValueProblem,
): ConnectError {
  return restError("PARAMETER_VALUE_INVALID", { field, place, problem, remedy }, violation(field, problem));
}

function violation(field: string, description: string) {
  return { details: [{ desc: BadRequestSchema, value: { fieldViolations: [{ field, description }] } }] };
}
