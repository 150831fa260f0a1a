import type { DescMethod } from "@bufbuild/protobuf";
import { fits } from "../authorization/scopes.ts";
import type { Comments } from "./message-schema.ts";
import { MCP_DEFAULTS, type McpOptions } from "./options.ts";
import { createTools, isReadOnlyMethod, type Tool, wordsOf } from "./tool.ts";

/** The number of tools that a search returns. */
const MAX_FOUND = 10;

/** The weights of a word in the name of a method, in the name of its service, and in its comment. */
const NAME_WEIGHT = 4;
const SERVICE_WEIGHT = 2;
const COMMENT_WEIGHT = 1;

/** The tools of a gateway. Those that are not listed can be searched, described and called. */
export class ToolSet {
  readonly all: readonly Tool[];
  /** The tools that a client lists; all of them, or the configured few if there are too many. */
  readonly listed: readonly Tool[];
  private readonly byName: ReadonlyMap<string, Tool>;
  private index: readonly Indexed[] | undefined;

  constructor(methods: readonly DescMethod[], comments: Comments, options: McpOptions) {
    const { methods: more = [], exclude = [], listed = [], maxTools = MCP_DEFAULTS.maxTools } = options;
    const matches = (patterns: readonly string[], method: DescMethod) =>
      patterns.some((pattern) => fits(method, pattern));
    const chosen = methods.filter(
      (method) =>
        (method.methodKind === "unary" || method.methodKind === "server_streaming") &&
        (isReadOnlyMethod(method) || matches(more, method)) &&
        !matches(exclude, method),
    );
    this.all = createTools(chosen, comments);
    this.listed =
      this.all.length <= maxTools
        ? this.all
        : this.all.filter(({ method }) => matches(listed, method)).slice(0, maxTools);
    this.byName = new Map(
      this.all.flatMap((tool) => [[tool.name, tool] as const, [tool.path, tool] as const]),
    );
  }

  /** Whether some tools are not listed. */
  get isSearched(): boolean {
    return this.listed.length < this.all.length;
  }

  /** Returns the tool with a name, or of a method `package.Service/Method`. */
  find(name: string): Tool | undefined {
    return this.byName.get(name);
  }

  /** Returns the tools that fit words best, best first. Rare words count more than frequent words. */
  search(query: string): readonly Tool[] {
    this.index ??= this.all.map(indexed);
    const { index } = this;
    const terms = [...new Set(wordsOf(query).map(stem))];
    const scores = index.map(({ tool, weights }) => ({ tool, score: 0, weights }));
    for (const term of terms) {
      const hits = scores.map(({ weights }) => weightOf(weights, term));
      const count = hits.filter((weight) => weight > 0).length;
      const rarity = Math.log(1 + index.length / (1 + count));
      for (const [position, weight] of hits.entries()) {
        const scored = scores[position];
        if (scored !== undefined) scored.score += weight * rarity;
      }
    }
    return scores
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.tool.path.length - b.tool.path.length)
      .slice(0, MAX_FOUND)
      .map(({ tool }) => tool);
  }
}

interface Indexed {
  readonly tool: Tool;
  readonly weights: ReadonlyMap<string, number>;
}

function indexed(tool: Tool): Indexed {
  const weights = new Map<string, number>();
  const { name, parent } = tool.method;
  const add = (text: string, weight: number) => {
    for (const word of new Set(wordsOf(text).map(stem))) {
      weights.set(word, Math.max(weights.get(word) ?? 0, weight));
    }
  };
  add(name, NAME_WEIGHT);
  add(parent.typeName, SERVICE_WEIGHT);
  add(tool.description, COMMENT_WEIGHT);
  return { tool, weights };
}

/** Returns the weight of a word; half of it for a longer word that begins with the searched word. */
function weightOf(weights: ReadonlyMap<string, number>, term: string): number {
  const exact = weights.get(term);
  if (exact !== undefined) return exact;
  if (term.length < 3) return 0;
  const longer = [...weights].filter(([word]) => word.startsWith(term)).map(([, weight]) => weight);
  return Math.max(0, ...longer) / 2;
}

/** Removes the ending of an English plural. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
