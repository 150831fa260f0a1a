import { isAlias, isNode, LineCounter, type Node, type ParsedNode, parseDocument } from "yaml";
import type { Position } from "../diagnostics/origin.ts";
import type { Problems } from "../diagnostics/problem.ts";

/** A YAML file with the positions of its parts. */
export interface ConfigDocument {
  /** The root; null for an empty file. */
  readonly root: Node | null;
  positionOf(node: unknown): Position;
  /** Returns the target of an alias, and any other node unchanged. */
  resolve(node: unknown): unknown;
}

/**
 * Parses YAML 1.2, of which JSON is a subset. Reports problems and returns undefined if the YAML is invalid.
 */
export function parseConfigDocument(
  path: string,
  text: string,
  problems: Problems,
): ConfigDocument | undefined {
  const lines = new LineCounter();
  const document = parseDocument<ParsedNode>(text, {
    lineCounter: lines,
    prettyErrors: false,
    intAsBigInt: true,
  });
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { file: path, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  for (const error of document.errors) problems.addAt(at(error.pos[0]), "config-syntax", error.message);
  if (document.errors.length > 0) return undefined;
  return {
    root: document.contents,
    positionOf: (node) => at(isNode(node) ? (node.range?.[0] ?? 0) : 0),
    resolve: (node) => (isAlias(node) ? node.resolve(document) : node),
  };
}
