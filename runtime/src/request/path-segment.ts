import { percentEncode } from "../text/percent-encode.ts";
import { invalidPathValue, type ValueProblem } from "./invalid-value.ts";
import { scalarText } from "./scalar-text.ts";

const CONTROL = /\p{Cc}/u;

/** A value of a path variable. */
export type PathValue = string | number | bigint | boolean;

/**
 * Encodes a value as one segment of a path: `t:abc` as `t%3Aabc`, `a/b` as `a%2Fb`. Every URL parser reads
 * the result as a single segment at its position (RFC 3986 section 3.3, WHATWG URL), so an empty value and
 * dot segments are rejected. The characters `%2e%2e` in a value are escaped and thus sent literally.
 *
 * @param field the name of the request field, for the error
 * @param controls whether control characters are encoded; by default they are rejected
 * @throws ConnectError INVALID_ARGUMENT, reason PATH_VALUE_INVALID
 */
export function pathSegment(value: PathValue, field: string, controls?: "controls"): string {
  const text = scalarText(value);
  const problem =
    problemOf(text, controls) ??
    (typeof value === "number" && !Number.isFinite(value) ? NOT_FINITE : undefined);
  if (problem !== undefined) throw invalidPathValue(field, problem);
  return percentEncode(text);
}

/**
 * Encodes a value as one or more segments of a path, for a `**` variable. `/` separates segments. Each
 * segment is encoded and checked like the value of `pathSegment`.
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PATH_VALUE_INVALID
 */
export function pathSegments(value: PathValue, field: string, controls?: "controls"): string {
  return scalarText(value)
    .split("/")
    .map((segment) => pathSegment(segment, field, controls))
    .join("/");
}

const NOT_FINITE: ValueProblem = { problem: "is not a finite number", remedy: "send a finite number" };

function problemOf(text: string, controls: "controls" | undefined): ValueProblem | undefined {
  if (text === "") return { problem: "is empty", remedy: "send a value that is not empty" };
  if (text === "." || text === "..") {
    return {
      problem: `is the dot segment "${text}"`,
      remedy: "send another value",
    };
  }
  if (controls === undefined && CONTROL.test(text)) {
    return { problem: "contains a control character", remedy: "send the value without it" };
  }
  if (!text.isWellFormed()) {
    return { problem: "contains a lone surrogate", remedy: "send well-formed Unicode" };
  }
  return undefined;
}
