import { fromBinary, type JsonObject, toJson } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { isObject, type Path } from "./json.ts";
import type { Problem } from "./problems.ts";
import type { RpcError, WireDetail } from "./rpc.ts";
import type { Schema } from "./schema.ts";

/** A detail of an error. */
export interface Detail {
  /** The full name of the message. */
  readonly type: string;
  /** The message as JSON; undefined if its type is unknown. */
  readonly value: JsonObject | undefined;
}

/** An error for display. */
export interface ShownError {
  /** The name of the code, e.g. `not_found`. */
  readonly code: string;
  readonly message: string;
  readonly details: readonly Detail[];
  /** The value of `WWW-Authenticate`, if the token was not sufficient. */
  readonly challenge: string | undefined;
  /** The problems of the request's fields that the details name. */
  readonly problems: readonly Problem[];
}

export function shownError(error: RpcError, schema: Schema): ShownError {
  const details = error.details.map(
    (detail): Detail => ({ type: detail.type, value: decoded(detail, schema) }),
  );
  const { code, message, challenge } = error;
  // several details may report the same problem
  const problems = details.flatMap(problemsIn).map((problem) => [JSON.stringify(problem), problem] as const);
  return { code, message, details, challenge, problems: [...new Map(problems).values()] };
}

function decoded({ type, value }: WireDetail, { registry }: Schema): JsonObject | undefined {
  const desc = registry.getMessage(type);
  if (desc === undefined) return undefined;
  try {
    const json = toJson(desc, fromBinary(desc, base64Decode(value)), { registry });
    return isObject(json) ? json : { value: json };
  } catch {
    return undefined;
  }
}

function problemsIn({ type, value = {} }: Detail): Problem[] {
  const { violations, fieldViolations } = value;
  if (type === "google.rpc.BadRequest" && Array.isArray(fieldViolations)) {
    return fieldViolations.filter(isObject).map(({ field, description }) => {
      return { path: parsePath(String(field)), text: String(description), isFatal: false };
    });
  }
  if (type !== "buf.validate.Violations" || !Array.isArray(violations)) return [];
  return violations.filter(isObject).map(({ field, message }) => {
    return { path: pathOfElements(field as JsonObject | undefined), text: String(message), isFatal: false };
  });
}

/** Returns the path that `a.b[0].c` names. */
function parsePath(text: string): Path {
  const parts = text.matchAll(/\[(\d+)\]|\["([^"]*)"\]|([^.[\]]+)/g);
  return [...parts].map(([, index, key, name = ""]) =>
    index === undefined ? (key ?? camel(name)) : Number(index),
  );
}

function pathOfElements(field: JsonObject | undefined): Path {
  const elements = Array.isArray(field?.elements) ? field.elements : [];
  return elements.filter(isObject).flatMap(({ fieldName, index, boolKey, intKey, uintKey, stringKey }) => {
    const key = stringKey ?? intKey ?? uintKey ?? boolKey;
    const name = camel(String(fieldName));
    if (index !== undefined) return [name, Number(index)];
    return key === undefined ? [name] : [name, String(key)];
  });
}

/** Returns the name of a field in JSON, if the .proto file does not set another. */
function camel(name: string): string {
  return name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}
