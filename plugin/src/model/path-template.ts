/** A path template of google.api.http (google/api/http.proto, "Path template syntax"), parsed. */
export interface PathTemplate {
  readonly segments: readonly Segment[];
  /** The custom verb after the last segment, without its colon; empty when there is none. */
  readonly verb: string;
}

export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  /** `*`, one segment, or `**`, any number of them; without a variable around them they bind nothing. */
  | { readonly kind: "wildcard"; readonly deep: boolean }
  | {
      readonly kind: "variable";
      readonly fieldPath: string;
      readonly segments: readonly PatternSegment[];
      /** Text of the same segment around the variable: `.json` in `/books/{id}.json`. */
      readonly before?: string;
      readonly after?: string;
    };

/** What a variable's value must look like: `*` alone by default. */
export type PatternSegment = Exclude<Segment, { readonly kind: "variable" }>;

/** A pattern as google.api.http writes it: `shelves/*`. */
export function patternText(segments: readonly PatternSegment[]): string {
  return segments
    .map((segment) => (segment.kind === "literal" ? segment.text : segment.deep ? "**" : "*"))
    .join("/");
}

// what RFC 3986 section 3.3 lets stand in a segment as it is; a colon and braces mean something in templates
const SEGMENT = /^(?:[A-Za-z0-9\-._~!$&'()+,;@:*=]|%[0-9A-Fa-f]{2})+$/;
// upstreams that decode a path before they split it see these
const ENCODED = /%(?:2e|2f|5c)/gi;
const CONTROL = /%(?:[01][0-9a-f]|7f)/i;

/**
 * What is wrong with a constant segment of a path, which must stay one for every URL parser;
 * undefined when nothing is.
 */
export function segmentFault(text: string): string | undefined {
  if (text === "") return "is empty";
  if (!SEGMENT.test(text)) return "has a character that must be percent-encoded";
  if (CONTROL.test(text)) return "has an encoded control character";
  const decoded = text.replaceAll(ENCODED, (code) => decodeURIComponent(code));
  if (decoded.split(/[/\\]/).some((part) => part === "." || part === "..")) return "leads elsewhere";
  return undefined;
}
