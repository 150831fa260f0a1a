import { stepsOf } from "../json/json-path.ts";

/** The keys on declared paths, each with the keys inside its value; `all` at the end of a path. */
export type KeyTree = ReadonlyMap<string, KeyTree | "all">;

type Growing = Map<string, Growing | "all">;

/** Builds the tree of dotted paths. */
export function keyTree(paths: Iterable<string>): KeyTree {
  const tree: Growing = new Map();
  for (const path of paths) add(tree, stepsOf(path));
  return tree;
}

function add(root: Growing, steps: readonly string[]): void {
  let tree = root;
  for (const [index, step] of steps.entries()) {
    const below = index === steps.length - 1 ? "all" : (tree.get(step) ?? new Map());
    tree.set(step, below);
    if (below === "all") return;
    tree = below;
  }
}

/** Merges trees. */
export function joinedTree(trees: ReadonlyArray<KeyTree | "all">): KeyTree | "all" {
  const [first = "all", ...others] = trees;
  if (others.length === 0) return first;
  const joined = new Map<string, KeyTree | "all">();
  for (const tree of trees) {
    if (tree === "all") return "all";
    for (const [key, below] of tree) {
      const before = joined.get(key);
      joined.set(key, before === undefined ? below : joinedTree([before, below]));
    }
  }
  return joined;
}
