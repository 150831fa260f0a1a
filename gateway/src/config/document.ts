import { type Document, isMap, isNode, isPair, LineCounter, parseDocument } from "yaml";

/** A position in a file; lines and columns start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A YAML file as data, with the positions of its settings. */
export interface YamlFile {
  readonly value: unknown;
  /** The errors that the YAML parser reports. */
  readonly errors: ReadonlyArray<Position & { readonly text: string }>;
  /** Returns the position of the setting's value, or of the nearest enclosing value that exists. */
  positionOf(path: readonly PropertyKey[]): Position;
  /** Returns the position of the setting's name. */
  positionOfKey(path: readonly PropertyKey[], key: string): Position;
}

/** Parses YAML 1.2. Duplicate keys are errors, and alias expansion is limited. */
export function parseYaml(text: string): YamlFile {
  const lines = new LineCounter();
  // warnings would repeat the content of the file
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const errors = document.errors.map((error) => ({ ...at(error.pos[0]), text: nameless(error.message) }));
  const value =
    errors.length === 0 ? builtValue(document, (text) => errors.push({ ...at(0), text })) : undefined;
  return {
    value,
    errors,
    positionOf: (path) => at(offsetOf(document, path)),
    positionOfKey: (path, key) => at(keyOffset(document, path, key) ?? offsetOf(document, path)),
  };
}

/**
 * Converts a document to data. This step resolves aliases, so it also reports missing anchors and too many
 * aliases as errors.
 */
function builtValue(document: Document, report: (text: string) => void): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    report(nameless(error instanceof Error ? error.message : String(error)));
    return undefined;
  }
}

/**
 * Matches the start of a YAML message, before the part that quotes the file: `*pass` is an alias, `|pass` a
 * block.
 */
const REPEATS =
  /^([^:]*(?=: )|Invalid escape sequence|Unsupported YAML version|Unknown directive|Verbatim tags|The(?= .* tag has no suffix)).*$/s;

/** Returns a YAML message without quoted file content, which may be a secret. */
function nameless(text: string): string {
  return text.replace(REPEATS, "$1").replace(/^(?:Verbatim tags|The)$/, "Unresolved tag");
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function keyOffset(document: Document, path: readonly PropertyKey[], key: string): number | undefined {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map) ? map.items.find((item) => isPair(item) && String(item.key) === key) : undefined;
  return isNode(pair?.key) ? pair.key.range?.[0] : undefined;
}
