/** Reads the notations in which upstreams name a field of a request, and writes the notation of protobuf. */

/** A step of a path: a key, which may itself contain a path in some notation, or an index. */
export type PathStep = string | number;

/** A key or an index, after all notations are read. */
export interface Token {
  readonly key: string;
  readonly isIndex: boolean;
  /** The index of its step. */
  readonly step: number;
  /** The rest of its step, from the token on, and the length of the token in this text. */
  readonly text: string;
  readonly length: number;
}

/** An index. Other numbers, such as `007`, are keys. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** The parts of `$.items[0].price`, `items.0.price`, `items[0][price]` and `Items[0]['a.b']`. */
const PARTS = /\[(?:'([^']*)'|"([^"]*)"|([^\]]*))\]|([^.[\]]+)/g;

/** Splits the steps of a path into keys and indices. */
export function tokensOf(path: readonly PathStep[]): Token[] {
  return path.flatMap((step, index) => {
    const text = String(step);
    const found = /^#?\//.test(text) ? pointerParts(text) : dottedParts(text);
    return found.map(([key, start, end]) => ({
      key,
      isIndex: INDEX.test(key),
      step: index,
      text: text.slice(start),
      length: end - start,
    }));
  });
}

/** Returns the names that begin at a token, each with the position after it. Longer names come first. */
export function namesAt(
  tokens: readonly Token[],
  at: number,
): ReadonlyArray<readonly [name: string, end: number]> {
  const first = tokens[at];
  if (first === undefined) return [];
  const names: Array<readonly [string, number]> = [[first.key, at + 1]];
  // a name on the wire may itself contain dots or brackets
  for (let end = at + 1; tokens[end]?.step === first.step; end++) {
    const { text = "", length = 0 } = tokens[end] ?? {};
    names.unshift([first.text.slice(0, first.text.length - text.length + length), end + 1]);
  }
  return names;
}

/** Writes tokens as the path of a field: `items[0].price`. */
export function pathOf(tokens: readonly Token[]): string {
  return tokens.reduce((path, token) => joined(path, token), "");
}

function joined(path: string, { key, isIndex }: Token): string {
  if (isIndex) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

type Part = readonly [key: string, start: number, end: number];

/** Returns the parts of a JSON pointer (RFC 6901), which may be a URI fragment. */
function pointerParts(text: string): Part[] {
  return [...text.matchAll(/\/([^/]+)/g)].map((match) => {
    const [all, part = ""] = match;
    return [part.replaceAll("~1", "/").replaceAll("~0", "~"), match.index, match.index + all.length];
  });
}

function dottedParts(text: string): Part[] {
  const parts = [...text.matchAll(PARTS)].flatMap((match, index): Part[] => {
    const key = match.slice(1).find((group) => group !== undefined) ?? "";
    // `$` is the root of a JSONPath, and `tags[]` is all of a list
    if (key === "" || (key === "$" && index === 0)) return [];
    return [[key, match.index, match.index + match[0].length]];
  });
  return parts.length === 0 && text !== "" && text !== "$" ? [[text, 0, text.length]] : parts;
}
