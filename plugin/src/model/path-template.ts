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
