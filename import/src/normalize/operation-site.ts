import type { Node } from "../load/node.ts";

/** Where an operation is. */
export interface OperationSite {
  /** Its path item, with what all operations of the path share. */
  readonly item: Node;
  readonly at: Node;
  readonly path: string;
  readonly verb: string;
}
