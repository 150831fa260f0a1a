/** Compares two requests for the same call. */
import { isDeepStrictEqual } from "node:util";
import type { Made } from "./call-adapters.ts";

/** A part of a request; `error` means that only one side built a request. */
export type Part = "verb" | "path" | "query" | "body" | "error";

/**
 * Returns the parts that differ. Paths are compared literally; queries by their decoded parameters, because
 * order and encoding are not significant; bodies as JSON values. Two rejections are equal, even if their
 * messages differ.
 */
export function differingParts(ours: Made, theirs: Made): Part[] {
  if ("error" in ours || "error" in theirs) {
    return "error" in ours && "error" in theirs ? [] : ["error"];
  }
  const parts: Part[] = [];
  if (ours.verb !== theirs.verb) parts.push("verb");
  if (ours.path !== theirs.path) parts.push("path");
  if (!isDeepStrictEqual(parametersOf(ours.query), parametersOf(theirs.query))) parts.push("query");
  if (!isDeepStrictEqual(bodyOf(ours.body), bodyOf(theirs.body))) parts.push("body");
  return parts;
}

/** Returns the values of each parameter in their order. */
function parametersOf(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const [name = "", value = ""] = pair.split("=").map(decodeURIComponent);
    parameters.set(name, [...(parameters.get(name) ?? []), value]);
  }
  return parameters;
}

/** Returns the JSON value of a body, or the body itself if it is not JSON. */
function bodyOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
