/** A parsed path template of google.api.http (google/api/http.proto, "Path template syntax"). */
export interface PathTemplate {
  readonly segments: readonly Segment[];
  /**
   * The custom verb after the last segment, without its colon; an empty string if the path has no custom
   * verb.
   */
  readonly verb: string;
}

export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  /** `*` matches one segment, `**` any number of segments. Outside of a variable they bind nothing. */
  | { readonly kind: "wildcard"; readonly deep: boolean }
  | {
      readonly kind: "variables";
      readonly variables: readonly PathVariable[];
      /**
       * The constant texts before, between and after the variables: `["", "...", ".diff"]` for
       * `{base}...{head}.diff`. A text between variables is never empty.
       */
      readonly texts: readonly string[];
    };

export interface PathVariable {
  readonly fieldPath: string;
  /** The pattern for the value; always `*` next to text or to another variable. */
  readonly segments: readonly PatternSegment[];
}

/** The pattern for the value of a variable: a single `*` by default. */
export type PatternSegment = Exclude<Segment, { readonly kind: "variables" }>;

/** Returns the variables of a path in their order. */
export function variablesOf({ segments }: PathTemplate): PathVariable[] {
  return segments.flatMap((segment) => (segment.kind === "variables" ? segment.variables : []));
}

/** Returns a pattern in the notation of google.api.http: `shelves/*`. */
export function patternText(segments: readonly PatternSegment[]): string {
  return segments
    .map((segment) => (segment.kind === "literal" ? segment.text : segment.deep ? "**" : "*"))
    .join("/");
}

// the characters that RFC 3986 section 3.3 allows in a segment; a colon and braces have a meaning in
// templates
const SEGMENT = /^(?:[A-Za-z0-9\-._~!$&'()+,;@:*=]|%[0-9A-Fa-f]{2})+$/;
// encoded characters that some upstreams decode before they split a path
const ENCODED = /%(?:2e|2f|5c)/gi;
const CONTROL = /%(?:[01][0-9a-f]|7f)/i;

/**
 * Returns the fault of a constant path segment, which every URL parser must keep as one segment; undefined if
 * the segment is valid.
 */
export function segmentFault(text: string): string | undefined {
  if (text === "") return "is empty";
  if (!SEGMENT.test(text)) return "has a character that must be percent-encoded";
  if (CONTROL.test(text)) return "has an encoded control character";
  const decoded = text.replaceAll(ENCODED, (code) => decodeURIComponent(code));
  if (decoded.split(/[/\\]/).some((part) => part === "." || part === "..")) return "leads elsewhere";
  return undefined;
}
