/** Path templates of google.api.http as patterns of recorded paths. */

/** A path template. */
export interface Template {
  /** The template without the names of its variables: `/books/{}`. */
  readonly shape: string;
  readonly names: readonly string[];
  /** Returns the values of the variables, percent-encoded; undefined for another path. */
  match(path: string): ReadonlyMap<string, string> | undefined;
}

const SPECIAL = /[.*+?^${}()|[\]\\/-]/g;

/** Parses a template such as `/v1/{name=shelves/*}/books/{id}.json`. */
export function parseTemplate(template: string): Template {
  const names: string[] = [];
  let pattern = "";
  let shape = "";
  for (const [part] of template.matchAll(/\{[^}]*\}|\*\*|\*|[^{*]+/g)) {
    if (part.startsWith("{")) {
      const [name = "", inner = "*"] = part.slice(1, -1).split("=");
      names.push(name);
      pattern += `(${patternOf(inner)})`;
      shape += inner === "*" ? "{}" : `{${inner}}`;
    } else {
      pattern += patternOf(part);
      shape += part;
    }
  }
  // upstreams tolerate a slash after the path
  const expression = new RegExp(`^${pattern}/?$`);
  return {
    shape,
    names,
    match(path) {
      const found = expression.exec(path);
      return found === null ? undefined : new Map(names.map((name, index) => [name, found[index + 1] ?? ""]));
    },
  };
}

/**
 * Reports whether every path of one template is a path of the other, which is the case if one has text where
 * the other has a variable.
 */
export function isNarrower({ shape }: Template, { shape: other }: Template): boolean {
  const own = shape.split("/");
  const others = other.split("/");
  if (own.length !== others.length) return false;
  const isWithin = own.every((segment, index) => {
    return segment === others[index] || (others[index] === "{}" && !segment.includes("**"));
  });
  return isWithin && shape !== other;
}

function patternOf(text: string): string {
  return text
    .split(/(\*\*|\*)/)
    .map((part) => (part === "**" ? ".*" : part === "*" ? "[^/]+" : part.replace(SPECIAL, "\\$&")))
    .join("");
}
