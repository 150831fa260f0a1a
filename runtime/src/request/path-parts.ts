import { invalidPathValue } from "./invalid-value.ts";

/**
 * Joins encoded values to one segment of a path, with constant texts between them: `main...topic`. Receivers
 * decode and then split the segment, at the first or at the last occurrence of a text. Therefore each text
 * may only occur at its own position.
 *
 * @param values the values, encoded by `pathSegment` or `pathPattern`
 * @param texts the constant texts between the values, percent-encoded where necessary
 * @param fields the names of the request fields, for the error
 * @throws ConnectError INVALID_ARGUMENT, reason PATH_VALUE_INVALID, if a value contains a text, or forms the
 *   text together with its neighbors
 */
export function pathParts(
  values: readonly string[],
  texts: readonly string[],
  fields: readonly string[],
): string {
  const parts = values.map((value, index) => value + (texts[index] ?? ""));
  const marks = texts.map(decoded);
  const joined = decoded(parts.join(""));
  let end = 0;
  const own = parts.slice(0, -1).map((part, index) => {
    end += decoded(part).length;
    return end - (marks[index] as string).length;
  });
  const first = firstPlaces(joined, marks);
  const last = lastPlaces(joined, marks);
  const before = own.findIndex((place, index) => place !== first[index]);
  const after = own.findLastIndex((place, index) => place !== last[index]);
  if (before < 0 && after < 0) return parts.join("");
  throw invalidPathValue(fields[before < 0 ? after + 1 : before] as string, {
    problem: `contains "${marks[before < 0 ? after : before]}", which separates the values of a path segment`,
    remedy: "send a value without it",
  });
}

/** Decodes percent-encoding to one character per byte. */
function decoded(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function firstPlaces(text: string, marks: readonly string[]): number[] {
  let from = 0;
  return marks.map((mark) => {
    const place = text.indexOf(mark, from);
    from = place + mark.length;
    return place;
  });
}

function lastPlaces(text: string, marks: readonly string[]): number[] {
  let until = text.length;
  const places = marks.toReversed().map((mark) => {
    until = text.lastIndexOf(mark, until - mark.length);
    return until;
  });
  return places.toReversed();
}
