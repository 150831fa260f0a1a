import type { Node } from "../load/node.ts";

/** The position of an operation in the document. */
export interface OperationSite {
  /** The path item, which contains everything that the operations of the path share. */
  readonly item: Node;
  readonly at: Node;
  readonly path: string;
  readonly verb: string;
}
