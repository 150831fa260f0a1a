/** Reads PromQL with the grammar of Prometheus. */
import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

/** A metric that a query reads. */
export interface Selected {
  readonly metric: string;
  /** The labels in its matchers. */
  readonly matched: readonly string[];
  /** The labels by which the aggregations around it group. */
  readonly grouped: readonly string[];
}

/** Labels that Prometheus itself adds. */
const TARGET_LABELS: readonly string[] = ["job", "instance"];

/**
 * Returns the metrics and labels in a query.
 *
 * @throws Error if the query has a syntax error
 */
export function readQuery(query: string): readonly Selected[] {
  // Grafana replaces its variables before Prometheus parses the query.
  const text = query.replaceAll("$__rate_interval", "5m");
  const tree = parser.parse(text);
  const selectors: SyntaxNode[] = [];
  tree.iterate({
    enter: ({ type, node, from }) => {
      if (type.isError) throw new Error(`syntax error at ${from} of: ${text}`);
      if (type.name === "VectorSelector") selectors.push(node);
    },
  });
  return selectors.map((selector) => ({
    metric: contentOf(selector.firstChild, text),
    matched: namesBelow(selector.getChild("LabelMatchers"), text),
    grouped: groupingsAround(selector, text),
  }));
}

/** Returns the labels by which the aggregations of a query group. */
export function groupingsOf(query: string): ReadonlySet<string> {
  return new Set(readQuery(query).flatMap(({ grouped }) => grouped));
}

/** Returns whether Prometheus adds a label when it scrapes. */
export function isTargetLabel(label: string): boolean {
  return TARGET_LABELS.includes(label);
}

function contentOf(node: SyntaxNode | null, text: string): string {
  return node === null ? "" : text.slice(node.from, node.to);
}

function groupingsAround(selector: SyntaxNode, text: string): string[] {
  const names: string[] = [];
  for (let node: SyntaxNode | null = selector; node !== null; node = node.parent) {
    if (node.name !== "AggregateExpr") continue;
    names.push(...namesBelow(node.getChild("AggregateModifier"), text));
  }
  return names;
}

function namesBelow(node: SyntaxNode | null, text: string): string[] {
  const names: string[] = [];
  node?.toTree().iterate({
    enter: ({ name, from, to }) => {
      if (name === "LabelName") names.push(text.slice(node.from + from, node.from + to));
    },
  });
  return names;
}
