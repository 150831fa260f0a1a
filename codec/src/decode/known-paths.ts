import { isJsonObject, type JsonValue } from "../json/json.ts";
import { stepsOf } from "../json/json-path.ts";
import type { FoundDifferences } from "./difference.ts";
import { DifferenceWriter, type Field } from "./difference-writer.ts";

/** What is known below a key: these keys, or all of them. */
type Tree = Map<string, Tree> | "all";

/** The keys that a value is known to have, by dotted paths; everything below the end of a path is known. */
export class KnownPaths {
  private readonly tree: Tree = new Map();

  constructor(paths: Iterable<string>) {
    for (const path of paths) this.add(stepsOf(path));
  }

  private add(steps: readonly string[]): void {
    let tree = this.tree;
    for (const [index, step] of steps.entries()) {
      if (tree === "all") return;
      const below: Tree | undefined = index === steps.length - 1 ? "all" : tree.get(step);
      const next: Tree = below ?? new Map();
      tree.set(step, next);
      tree = next;
    }
  }

  /** The keys of a value that are not known. */
  beyond(value: JsonValue | undefined): FoundDifferences {
    WRITER.reset();
    WRITER.compare(value, this.tree);
    return WRITER.found();
  }
}

class UnknownKeys extends DifferenceWriter {
  compare(value: JsonValue | undefined, tree: Tree): void {
    if (tree === "all") return;
    if (Array.isArray(value)) {
      // a path leads into a list by a number, or into its first item where an object was expected
      const isIndexed = [...tree.keys()].some((step) => /^\d+$/.test(step));
      const items = isIndexed ? value : value.slice(0, 1);
      items.forEach((item, index) => {
        this.compareAt(index, item, isIndexed ? tree.get(String(index)) : tree);
      });
    } else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) this.compareAt(key, value[key], tree.get(key));
    }
  }

  private compareAt(step: string | number, value: Field, tree: Tree | undefined): void {
    this.path.push(step);
    if (tree === undefined) {
      this.additional("", value);
    } else {
      this.compare(value, tree);
    }
    this.path.pop();
  }
}

const WRITER = new UnknownKeys();
