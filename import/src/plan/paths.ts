import { Scope } from "../names/scope.ts";
import { jsonName, snake, wordsOf } from "../names/words.ts";
import { isLine } from "./wire-names.ts";

/** A variable of a path. */
export interface PathVariable {
  /** The names of the parameters that the variable represents: several, if no text separates them. */
  readonly parameters: readonly string[];
  /** The name of the field. */
  readonly field: string;
}

/** A path in the notation of `google.api.http`. */
export interface PathTemplate {
  readonly template: string;
  readonly variables: readonly PathVariable[];
  /** Constant parameters that the document writes into the path. */
  readonly constants: readonly (readonly [string, string])[];
  readonly hasFragment: boolean;
}

/** Parses a path of the document. Several variables without text between them become one variable. */
export function pathTemplate(path: string): PathTemplate {
  const [withQuery = "", fragment] = splitAt(path, "#");
  const [plain = "", query] = splitAt(withQuery, "?");
  const scope = new Scope(jsonName);
  const variables: PathVariable[] = [];
  // the pattern has a group, so every second part is a list of variables
  const parts = plain.split(/((?:\{[^{}]*\})+)/).map((part, index) => {
    if (index % 2 === 0) return part.split("/").map(encodeSegment).join("/");
    const parameters = part.slice(1, -1).split("}{");
    const field = scope.give(snake(parameters.flatMap(wordsOf)));
    variables.push({ parameters, field });
    return `{${field}}`;
  });
  // only the last colon can begin a verb, after a segment
  const template = parts.join("").replaceAll(/(?<=^|\/):|:(?![\w.~-]+$)/g, "%3A");
  return {
    template: template.startsWith("/") ? template : `/${template}`,
    variables,
    constants: [...new URLSearchParams(query ?? "")],
    hasFragment: fragment !== undefined,
  };
}

/**
 * Reports whether a request can have a path: it has each variable once, no segments that URL parsers remove
 * or that servers may read as several segments, and no line breaks in its query.
 */
export function isCallable(path: string): boolean {
  const { template, variables, constants } = pathTemplate(path);
  if (!constants.every(([name, value]) => name !== "" && isLine(name) && isLine(value))) return false;
  const names = variables.flatMap(({ parameters }) => parameters);
  // a slash at the end is part of a path
  const segments = template.slice(1).replace(/\/$/, "").split("/");
  const isOnlySlash = template === "/" || template === "//";
  return new Set(names).size === names.length && (isOnlySlash || !segments.some(isUnsafe));
}

/** Reports whether a segment is empty, leads to other segments, or contains control characters. */
function isUnsafe(segment: string): boolean {
  if (segment === "" || /%(?:[01][0-9A-F]|7F)/i.test(segment)) return true;
  const decoded = segment.replaceAll(/%(?:2e|2f|5c)/gi, decodeURIComponent);
  return decoded.split(/[/\\]/).some((part) => part === "." || part === "..");
}

function splitAt(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Encodes the constant text of a path segment. */
function encodeSegment(text: string): string {
  return (
    encodeURI(text.toWellFormed())
      .replaceAll(/[*{}=]/g, (character) => {
        return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
      })
      // a valid escape is not encoded again
      .replaceAll(/%25(?=[0-9A-Fa-f]{2})/g, "%")
  );
}
