import type { ConnectError } from "@connectrpc/connect";
import { restError } from "../errors/rest-error.ts";
import { BadRequestSchema } from "../gen/google/rpc/error_details_pb.ts";

/** The problem with a value from the caller, and the value to send instead. */
export interface ValueProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** The location in the request of a value that cannot be sent. */
export interface Invalid {
  /** The value in the message: the same object, list or map, or an equal scalar. */
  readonly value: unknown;
  /** The full name of the enum, if the value is a number of an enum. No field of that enum can have it. */
  readonly enumName?: string;
  /** The key of the invalid entry, if the value is a map. */
  readonly key?: string;
}

interface Locatable extends Invalid {
  readonly named: (field: string) => ConnectError;
}

const LOCATABLE = new WeakMap<ConnectError, Locatable>();

/** Returns the location of the invalid value of an error, for `located`. */
export function locatable(error: ConnectError): Locatable | undefined {
  return LOCATABLE.get(error);
}

/** Creates an error that can be rebuilt with another field name. */
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
 * Returns an INVALID_ARGUMENT error for a value that cannot be sent in the path, with a google.rpc.BadRequest
 * field violation.
 */
export function invalidPathValue(field: string, { problem, remedy }: ValueProblem): ConnectError {
  return restError("PATH_VALUE_INVALID", { field, problem, remedy }, violation(field, problem));
}

/**
 * Returns an INVALID_ARGUMENT error for a value that cannot be sent in the query, a form, a header, a cookie
 * or a body.
 *
 * @param field the name of the field on the wire; the path in the request message replaces it if `invalid`
 *   leads to one
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

/** Returns error details that name a field. */
export function violation(field: string, description: string) {
  return { details: [{ desc: BadRequestSchema, value: { fieldViolations: [{ field, description }] } }] };
}
