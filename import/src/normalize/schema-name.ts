import type { Node } from "../load/node.ts";

const NAMED =
  /^\/(?:components\/schemas|definitions|\$defs|parameters)\/([^/]+)$|^\/components\/(?:parameters|responses|requestBodies)\/([^/]+)\/(?:content\/[^/]+\/)?schema$|^\/responses\/([^/]+)\/schema$/;

/**
 * Returns the name that a document gives a schema: the name of the component that is the schema or contains
 * it, or the name of the file.
 */
export function nameOf(node: Node): string | undefined {
  const found = NAMED.exec(node.pointer)
    ?.slice(1)
    .find((name) => name !== undefined);
  if (found !== undefined) return found.replaceAll("~1", "/").replaceAll("~0", "~");
  if (node.pointer !== "") return undefined;
  return node.document.name.replace(/^.*\//, "").replace(/\.\w+$/, "");
}
