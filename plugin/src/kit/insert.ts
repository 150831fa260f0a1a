import { type ByteString, bytesOf, textOf } from "./byte-string.ts";
import type { Dialect } from "./dialect.ts";

/** A file after an insertion. */
export interface Inserted {
  readonly content: ByteString;
  /** The byte offset of the first inserted text, including its indentation. */
  readonly offset: number;
  /** The number of bytes added to each line. */
  readonly indent: number;
  /** The inserted text before indentation. Ends with a line feed, unless it is empty. */
  readonly text: ByteString;
}

interface Place {
  readonly offset: number;
  readonly indent: ByteString;
}

/**
 * Inserts text above the line with the marker of an insertion point, with the same indentation.
 *
 * @returns undefined if the file has no marker with this name
 */
export function insert(
  target: ByteString,
  point: string,
  content: ByteString,
  dialect: Dialect,
): Inserted | undefined {
  const before = unixLines(ended(target, dialect), dialect);
  const text = unixLines(terminated(content), dialect);
  const places = placesOf(before, bytesOf(`@@protoc_insertion_point(${point})`), dialect);
  const [first] = places;
  if (first === undefined) return undefined;
  const parts: string[] = [];
  let done = 0;
  for (const { offset, indent } of places) {
    parts.push(before.slice(done, offset), indented(text, indent));
    done = offset;
  }
  parts.push(before.slice(done));
  return {
    content: parts.join("") as ByteString,
    offset: first.offset,
    indent: first.indent.length,
    text,
  };
}

/** Returns the length of the longest line, without its line feed. */
export function longestLine(bytes: ByteString): number {
  return bytes.split("\n").reduce((longest, line) => Math.max(longest, line.length), 0);
}

function placesOf(target: ByteString, marker: ByteString, dialect: Dialect): Place[] {
  const places: Place[] = [];
  for (let at = target.indexOf(marker); at >= 0; at = target.indexOf(marker, endOfLine(target, at))) {
    places.push(placeOf(target, at, dialect));
    if (dialect.repeatedMarker === "first") break;
  }
  return places;
}

function placeOf(target: ByteString, marker: number, dialect: Dialect): Place {
  const comment = marker - 3;
  // protoc does not search for the comment at the very start of a file; the result is the same
  if (dialect.inlineMarker === "inline" && comment > 0 && target.startsWith("/*", comment)) {
    return { offset: comment, indent: "" as ByteString };
  }
  const offset = target.lastIndexOf("\n", marker) + 1;
  return { offset, indent: indentOf(target.slice(offset, marker) as ByteString, dialect) };
}

function indentOf(line: ByteString, dialect: Dialect): ByteString {
  const found =
    dialect.indent === "space-tab"
      ? /^[ \t]*/.exec(line)
      : /^[\t-\r\u0085\p{White_Space}]*/u.exec(textOf(line));
  return bytesOf(found?.[0] ?? "");
}

function endOfLine(target: ByteString, from: number): number {
  const end = target.indexOf("\n", from);
  return end < 0 ? target.length : end;
}

function unixLines(bytes: ByteString, dialect: Dialect): ByteString {
  if (dialect.lineEnds === "kept") return bytes;
  return bytes.replaceAll("\r\n", "\n").replace(/\r$/, "") as ByteString;
}

function ended(bytes: ByteString, dialect: Dialect): ByteString {
  if (dialect.finalNewline === "kept" || !bytes.endsWith("\n")) return bytes;
  return bytes.slice(0, -1) as ByteString;
}

function terminated(bytes: ByteString): ByteString {
  return bytes === "" || bytes.endsWith("\n") ? bytes : (`${bytes}\n` as ByteString);
}

function indented(text: ByteString, indent: ByteString): string {
  if (indent === "") return text;
  return text.replaceAll(/[^\n]*\n/g, (line) => indent + line);
}
