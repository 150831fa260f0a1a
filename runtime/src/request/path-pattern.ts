import type { ConnectError } from "@connectrpc/connect";
import { invalidPathValue } from "./invalid-value.ts";
import { type PathValue, pathSegment } from "./path-segment.ts";
import { scalarText } from "./scalar-text.ts";

/**
 * Encodes a value that must match a pattern of google.api.http, e.g. `shelves/*` or `logs/**`. `*` matches
 * one segment, `**` matches one or more, and other segments match literally. Slashes separate segments. Each
 * segment is encoded and checked like the value of `pathSegment`.
 *
 * @param field the name of the request field, for the error
 * @param controls whether control characters are encoded; by default they are rejected
 * @throws ConnectError INVALID_ARGUMENT, reason PATH_VALUE_INVALID
 */
export function pathPattern(value: PathValue, pattern: string, field: string, controls?: "controls"): string {
  const text = scalarText(value);
  if (!matches(text, pattern)) {
    throw invalidPathValue(field, {
      problem: `the value ${JSON.stringify(short(text))} does not match "${pattern}"`,
      remedy: "send a value of that form",
    });
  }
  return text
    .split("/")
    .map((segment) => pathSegment(segment, field, controls))
    .join("/");
}

/**
 * Reports whether a path variable can have this value, so that the binding with the variable applies.
 *
 * @param pattern the pattern for the value; undefined for a single segment, which fits every value that is
 *   not empty, since slashes are escaped
 */
export function fits(value: PathValue | undefined, pattern?: string): boolean {
  return (
    value !== undefined && value !== "" && (pattern === undefined || matches(scalarText(value), pattern))
  );
}

/**
 * Returns the error for a request that matches none of the method's paths.
 *
 * @param field the first path variable
 */
export function noBinding(field: string, templates: readonly string[]): ConnectError {
  return invalidPathValue(field, {
    problem: `matches none of the paths ${templates.join(", ")}`,
    remedy: "set the fields of one of them",
  });
}

function matches(text: string, pattern: string): boolean {
  const values = text.split("/");
  const parts = pattern.split("/");
  if (values.includes("")) return false;
  const deep = parts.indexOf("**");
  if (deep < 0) return values.length === parts.length && alike(values, parts);
  const after = parts.length - deep - 1;
  const head = values.slice(0, deep);
  const tail = values.slice(values.length - after);
  return (
    values.length >= parts.length && alike(head, parts.slice(0, deep)) && alike(tail, parts.slice(deep + 1))
  );
}

function alike(values: readonly string[], parts: readonly string[]): boolean {
  return parts.every((part, index) => part === "*" || part === values[index]);
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
