import type { ConnectError } from "@connectrpc/connect";
import { restError } from "../errors/rest-error.ts";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.ts";

/** The problem of a value of the caller, and the value to send instead. */
export interface ValueProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** The place of a value in the request that cannot be sent. */
export interface Invalid {
  /** The value in the message: the same object, list or map, or an equal scalar. */
  readonly value: unknown;
  /** The key of the entry, if the value is a map. */
  readonly key?: string;
}

interface Locatable extends Invalid {
  readonly named: (field: string) => ConnectError;
}

const LOCATABLE = new WeakMap<ConnectError, Locatable>();

/** Returns the place of an error's value, for `located`. */
export function locatable(error: ConnectError): Locatable | undefined {
  return LOCATABLE.get(error);
}

/** Creates an error that can be rebuilt with another name of the field. */
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
 * Returns INVALID_ARGUMENT for a value that cannot be sent in the path, with a google.rpc.BadRequest field
 * violation.
 */
export function invalidPathValue(field: string, { problem, remedy }: ValueProblem): ConnectError {
  return restError("PATH_VALUE_INVALID", { field, problem, remedy }, violation(field, problem));
}

/**
 * Returns INVALID_ARGUMENT for a value that cannot be sent in the query, a form, a header, a cookie or a
 * body.
 *
 * @param field its name on the wire; replaced by the path from the request if `invalid` leads to one
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

/** Error details that name a field. */
export function violation(field: string, description: string) {
  return { details: [{ desc: BadRequestSchema, value: { fieldViolations: [{ field, description }] } }] };
}
