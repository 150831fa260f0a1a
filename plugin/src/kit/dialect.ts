/**
 * The properties of a schema compiler in which `protoc` and `buf` differ when they combine the responses of
 * generators.
 */
export interface Dialect {
  /** Whether text is inserted only at the first of repeated markers, or at every marker. */
  readonly repeatedMarker: "first" | "every";
  /** Whether a file with an insertion keeps its line ends, or CRLF becomes LF. */
  readonly lineEnds: "kept" | "lf";
  /** Whether a file with an insertion keeps its final line feed. */
  readonly finalNewline: "kept" | "dropped";
  /**
   * Whether text for a marker in a separate comment `/* ... *\/` is inserted before the comment, or above its
   * line.
   */
  readonly inlineMarker: "inline" | "above";
  /** The characters that count as white space at the start of the marker's line. */
  readonly indent: "space-tab" | "unicode";
  /**
   * The maximum line length, in bytes without the line feed, of inserted text and of a file with an
   * insertion.
   */
  readonly longestLine: number;
  /** Whether generated_code_info is merged into the `.pb.meta` of the file, or ignored. */
  readonly codeInfo: "merged" | "ignored";
}

export type DialectName = "protoc" | "buf";

/** The dialects, as measured with protoc 3.21 and buf 1.75. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  protoc: {
    repeatedMarker: "first",
    lineEnds: "kept",
    finalNewline: "kept",
    inlineMarker: "inline",
    indent: "space-tab",
    longestLine: Number.POSITIVE_INFINITY,
    codeInfo: "merged",
  },
  buf: {
    repeatedMarker: "every",
    lineEnds: "lf",
    finalNewline: "dropped",
    inlineMarker: "above",
    indent: "unicode",
    longestLine: 65_535,
    codeInfo: "ignored",
  },
};

/**
 * The differences between the compilers, all of which `applyInsertions` imitates. Tests compare both
 * compilers with this list.
 */
export const DIFFERENCES: Readonly<Record<keyof Dialect, string>> = {
  repeatedMarker: "A marker on several lines: protoc inserts at the first, buf at every one.",
  lineEnds: "CRLF in a file or an insertion: protoc keeps it, buf writes LF in a file it inserts into.",
  finalNewline: "The last line feed of a file: protoc keeps it, buf drops it from a file it inserts into.",
  inlineMarker: "A marker in a comment /* */: protoc inserts in front of the comment, buf above its line.",
  indent: "White space before a marker: spaces and tabs for protoc, anything that Unicode calls so for buf.",
  longestLine: "A line of 64 KiB: protoc takes it, buf rejects it in a file that it inserts into.",
  codeInfo: "generated_code_info of an insertion: protoc merges it into FILE.pb.meta, buf ignores it.",
};

/**
 * Input that at least one compiler accepts and `applyInsertions` rejects. Tests compare the compilers with
 * this list too.
 */
export const REFUSED = {
  duplicateInResponse: "A file twice in one response: buf warns and drops the second, protoc rejects it.",
  absolutePath: "An absolute path: protoc writes it below the output directory, buf rejects it.",
  parentPath: "A path that leaves the output directory by `..`: protoc follows it, buf rejects it.",
  uncleanPath: "A path with `.`, `..` or empty components inside: protoc writes it, buf warns and cleans it.",
  backslashPath: "A backslash in a path: both write a file with a backslash in its name, except on Windows.",
  longInsertedLine: "An inserted line of 64 KiB: protoc takes it, buf silently loses it and all that follow.",
  textCodeInfo: "A FILE.pb.meta in text format: protoc merges into it, buf leaves it alone.",
  brokenCodeInfo: "A FILE.pb.meta that cannot be read: protoc warns and leaves it alone, as buf does.",
} as const;
