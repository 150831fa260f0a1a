import { type Json, member } from "../json.ts";

/** A file that was parsed. */
export interface Document {
  /** As it is called in messages: the path from the folder of the first document, or a URL. */
  readonly name: string;
  /** Its URL, from which its references lead; undefined for the standard input. */
  readonly url: URL | undefined;
  readonly value: Json;
}

/** A value in a document, with its place. */
export interface Node {
  readonly document: Document;
  /** A JSON Pointer (RFC 6901), e.g. `/paths/~1pets/get`. */
  readonly pointer: string;
  readonly value: Json | undefined;
}

export function rootOf(document: Document): Node {
  return { document, pointer: "", value: document.value };
}

/** The node below keys or indexes. */
export function child(node: Node, ...keys: readonly (string | number)[]): Node {
  let { value, pointer } = node;
  for (const key of keys) {
    value = member(value, String(key));
    pointer += `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return { document: node.document, pointer, value };
}

/** Where a node is, for messages and as its identity: `openapi.yaml#/paths/~1pets/get`. */
export function placeOf(node: Node): string {
  return `${node.document.name}#${node.pointer}`;
}
