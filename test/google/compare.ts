/** What differs between two requests for the same call. */
import { isDeepStrictEqual } from "node:util";
import type { Made } from "./call-adapters.ts";

/** A part of a request; `error` where only one side makes one. */
export type Part = "verb" | "path" | "query" | "body" | "error";

/**
 * The parts that differ. Paths are equal letter by letter; a query is what it says, since nothing decides the
 * order of parameters and which letters are encoded; a body is the JSON value. Two rejections are alike,
 * whatever their words.
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

/** The values of each parameter, in their order. */
function parametersOf(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>();
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const [name = "", value = ""] = pair.split("=").map(decodeURIComponent);
    parameters.set(name, [...(parameters.get(name) ?? []), value]);
  }
  return parameters;
}

/** The JSON value of a body, or its text where it is none. */
function bodyOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
