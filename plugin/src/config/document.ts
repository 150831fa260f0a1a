import { isAlias, isNode, LineCounter, type Node, type ParsedNode, parseDocument } from "yaml";
import type { Position } from "../diagnostics/origin.ts";
import type { Problems } from "../diagnostics/problem.ts";

/** A YAML file, and the places of its parts. */
export interface ConfigDocument {
  /** The root; null for a file that holds nothing. */
  readonly root: Node | null;
  positionOf(node: unknown): Position;
  /** What an alias stands for, and any other node itself. */
  resolve(node: unknown): unknown;
}

/**
 * Parses YAML 1.2, and so JSON too. What YAML itself finds wrong is reported, and then there is no document.
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
