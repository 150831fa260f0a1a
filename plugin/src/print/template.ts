import { type PathTemplate, patternText } from "../model/path-template.ts";

/** Returns a path template in the notation of google.api.http, without redundant patterns: `/v1/{name}`. */
export function templateText({ segments, verb }: PathTemplate): string {
  const parts = segments.map((segment) => {
    if (segment.kind !== "variable") return patternText([segment]);
    const pattern = patternText(segment.segments);
    const { fieldPath, before = "", after = "" } = segment;
    return `${before}{${fieldPath}${pattern === "*" ? "" : `=${pattern}`}}${after}`;
  });
  return `/${parts.join("/")}${verb === "" ? "" : `:${verb}`}`;
}
