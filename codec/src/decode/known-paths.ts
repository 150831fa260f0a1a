import type { JsonValue } from "../json/json.ts";
import { type KeyTree, keyTree } from "../table/key-tree.ts";
import type { DifferenceWriter } from "./difference-writer.ts";

/** The known keys of a value, as dotted paths. Everything inside the value at the end of a path is known. */
export class KnownPaths {
  private readonly tree: KeyTree;

  constructor(paths: Iterable<string>) {
    this.tree = keyTree(paths);
  }

  /** Reports the unknown keys of a value. */
  note(value: JsonValue | undefined, out: DifferenceWriter): void {
    out.keysBeyond(this.tree, value);
  }
}
