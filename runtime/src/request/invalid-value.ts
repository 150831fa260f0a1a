import type { ConnectError } from "@connectrpc/connect";
import { restError } from "../errors/rest-error.ts";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.ts";

/** What is wrong with a value of the caller, and what to send instead. */
export interface ValueProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** Where in the request a value is that cannot be sent. */
export interface Invalid {
  /** The value as the message has it: the same object, list or map, or an equal scalar. */
  readonly value: unknown;
  /** The key of the entry, where the value is a map. */
  readonly key?: string;
}

interface Locatable extends Invalid {
  readonly named: (field: string) => ConnectError;
}

const LOCATABLE = new WeakMap<ConnectError, Locatable>();

/** What is known of the place of an error's value, for `located`. */
export function locatable(error: ConnectError): Locatable | undefined {
  return LOCATABLE.get(error);
}

/** An error that can be said again with another name for the field. */
export function withPlace(
  field: string,
  invalid: Invalid | undefined,
  named: (field: string) => ConnectError,
): ConnectError {
  const error = named(field);
  if (invalid !== undefined) LOCATABLE.set(error, { ...invalid, named });
  return error;
}

/**
 * INVALID_ARGUMENT for a value that cannot stand in the path; with a google.rpc.BadRequest field violation.
 */
export function invalidPathValue(field: string, { problem, remedy }: ValueProblem): ConnectError {
  return restError("PATH_VALUE_INVALID", { field, problem, remedy }, violation(field, problem));
}

/**
 * INVALID_ARGUMENT for a value that cannot stand in the query, a form, a header, a cookie or a body.
 *
 * @param field its name as far as the place knows it; the path from the request replaces
 * it where `invalid` leads to one
 */
export function invalidParameter(
  field: string,
  place: string,
  { problem, remedy }: ValueProblem,
  invalid?: Invalid,
): ConnectError {
  return withPlace(field, invalid, (name) =>
    restError("PARAMETER_VALUE_INVALID", { field: name, place, problem, remedy }, violation(name, problem)),
  );
}

/** Details that name a field. */
export function violation(field: string, description: string) {
  return { details: [{ desc: BadRequestSchema, value: { fieldViolations: [{ field, description }] } }] };
}
