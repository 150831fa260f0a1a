import { type Json, member } from "../json.ts";

/** A parsed file. */
export interface Document {
  /** The name in messages: the path relative to the folder of the first document, or a URL. */
  readonly name: string;
  /** The URL to which references are relative; undefined for standard input. */
  readonly url: URL | undefined;
  readonly value: Json;
}

/** A value in a document, with its position. */
export interface Node {
  readonly document: Document;
  /** A JSON Pointer (RFC 6901), for example `/paths/~1pets/get`. */
  readonly pointer: string;
  readonly value: Json | undefined;
}

export function rootOf(document: Document): Node {
  return { document, pointer: "", value: document.value };
}

/** Returns the node at the end of a path of keys and indexes. */
export function child(node: Node, ...keys: readonly (string | number)[]): Node {
  let { value, pointer } = node;
  for (const key of keys) {
    value = member(value, String(key));
    pointer += `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return { document: node.document, pointer, value };
}

/** Returns the position of a node, for messages and as its identity: `openapi.yaml#/paths/~1pets/get`. */
export function placeOf(node: Node): string {
  return `${node.document.name}#${node.pointer}`;
}
