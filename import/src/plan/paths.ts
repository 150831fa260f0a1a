import { Scope } from "../names/scope.ts";
import { jsonName, snake, wordsOf } from "../names/words.ts";

/** A variable of a path. */
export interface PathVariable {
  /** The names of the parameters that the variable represents. */
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

/** Parses a path of the document. Several variables in one segment become one variable. */
export function pathTemplate(path: string): PathTemplate {
  const [withQuery = "", fragment] = splitAt(path, "#");
  const [plain = "", query] = splitAt(withQuery, "?");
  const scope = new Scope(jsonName);
  const variables: PathVariable[] = [];
  const segments = plain.split("/").map((segment) => {
    const names = [...segment.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
    if (names.length === 0) return encodeSegment(segment);
    const field = scope.give(snake(names.flatMap(wordsOf)));
    variables.push({ parameters: names, field });
    const first = segment.indexOf("{");
    const last = segment.lastIndexOf("}");
    return `${encodeSegment(segment.slice(0, first))}{${field}}${encodeSegment(segment.slice(last + 1))}`;
  });
  const template = segments.join("/");
  return {
    template: template.startsWith("/") ? template : `/${template}`,
    variables,
    constants: [...new URLSearchParams(query ?? "")],
    hasFragment: fragment !== undefined,
  };
}

function splitAt(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Encodes the constant text of a path segment. */
function encodeSegment(text: string): string {
  return encodeURI(text.toWellFormed())
    .replaceAll(/[*{}=]/g, (character) => {
      return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
    })
    .replaceAll("%25", "%");
}
