import { type PathTemplate, type PathVariable, patternText } from "../model/path-template.ts";

/** Returns a path template in the notation of google.api.http, without redundant patterns: `/v1/{name}`. */
export function templateText({ segments, verb }: PathTemplate): string {
  const parts = segments.map((segment) => {
    if (segment.kind !== "variables") return patternText([segment]);
    const variables = segment.variables.map(variableText);
    return segment.texts.map((text, index) => text + (variables[index] ?? "")).join("");
  });
  return `/${parts.join("/")}${verb === "" ? "" : `:${verb}`}`;
}

function variableText({ fieldPath, segments }: PathVariable): string {
  const pattern = patternText(segments);
  return `{${fieldPath}${pattern === "*" ? "" : `=${pattern}`}}`;
}
