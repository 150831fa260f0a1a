import { type Json, member } from "../json.ts";
import { ImportError } from "../problem.ts";
import { child, type Document, type Node, placeOf, rootOf } from "./node.ts";
import { parse } from "./parse.ts";
import type { Reader } from "./reader.ts";

/** The maximum length of a chain of references. */
const MAX_CHAIN = 100;

/** A document and all files that its references lead to, directly or indirectly. */
export class Library {
  readonly root: Node;
  private readonly documents: ReadonlyMap<string, Document | ImportError>;

  private constructor(first: Document, documents: ReadonlyMap<string, Document | ImportError>) {
    this.root = rootOf(first);
    this.documents = documents;
  }

  /**
   * Reads the files that references lead to, directly or indirectly. A file that cannot be read causes an
   * error only where it is used.
   */
  static async load(first: Document, reader: Reader): Promise<Library> {
    const documents = new Map<string, Document | ImportError>();
    const queue = [first];
    if (first.url !== undefined) documents.set(first.url.href, first);
    for (const document of queue) {
      for (const [reference, pointer] of externalReferences(document.value)) {
        const url = urlOf(reference, document);
        if (url === undefined || documents.has(url.href)) continue;
        const found = await read(url, `${document.name}#${pointer}`, reader);
        documents.set(url.href, found);
        if (!(found instanceof ImportError)) queue.push(found);
      }
    }
    return new Library(first, documents);
  }

  /**
   * Returns the node that a `$ref` leads to, through further references; the node itself if it has no `$ref`.
   */
  follow(node: Node): Node {
    const seen: string[] = [];
    let current = node;
    for (;;) {
      const reference = member(current.value, "$ref");
      if (typeof reference !== "string") return current;
      const place = placeOf(current);
      if (seen.includes(place) || seen.length > MAX_CHAIN) {
        throw new ImportError(
          place,
          `the reference \`${reference}\` leads back to itself; let it lead to a value`,
        );
      }
      seen.push(place);
      current = this.target(reference, current);
    }
  }

  /** Returns the node that a reference leads to, which may itself be a reference. */
  target(reference: string, from: Node): Node {
    const hash = reference.indexOf("#");
    const fragment = hash < 0 ? "" : reference.slice(hash + 1);
    const document = this.documentOf(reference, from);
    const node = child(rootOf(document), ...stepsOf(fragment, from, reference));
    if (node.value !== undefined) return node;
    throw new ImportError(
      placeOf(from),
      `the reference \`${reference}\` leads to nothing; correct it, or add ${placeOf(node)}`,
    );
  }

  private documentOf(reference: string, from: Node): Document {
    if (reference.startsWith("#")) return from.document;
    const url = urlOf(reference, from.document);
    const found = url === undefined ? undefined : this.documents.get(url.href);
    if (found instanceof ImportError) throw found;
    if (found !== undefined) return found;
    const advice =
      from.document.url === undefined
        ? "the document came by the standard input, which is in no folder; pass its path"
        : "correct it";
    throw new ImportError(placeOf(from), `the reference \`${reference}\` leads to no file; ${advice}`);
  }
}

async function read(url: URL, place: string, reader: Reader): Promise<Document | ImportError> {
  try {
    const { name, text } = await reader.read(url, place);
    return { name, url, value: parse(text, name) };
  } catch (error) {
    if (error instanceof ImportError) return error;
    throw error;
  }
}

/**
 * Returns the URL of a reference; undefined if the reference is not a URL, or is relative and the document
 * has no URL.
 */
function urlOf(reference: string, document: Document): URL | undefined {
  const url = URL.parse(reference.replace(/#.*$/s, ""), document.url?.href);
  return url ?? undefined;
}

function stepsOf(fragment: string, from: Node, reference: string): string[] {
  if (fragment === "") return [];
  const pointer = decoded(fragment);
  if (pointer?.startsWith("/") !== true) {
    throw new ImportError(
      placeOf(from),
      `the reference \`${reference}\` has no JSON Pointer after its #; write e.g. #/components/schemas/Pet`,
    );
  }
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** Returns the references of a document to other files, each with the pointer of its first occurrence. */
function externalReferences(value: Json): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<object>();
  const stack: { readonly value: Json; readonly pointer: string }[] = [{ value, pointer: "" }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    // YAML aliases can make a value a part of itself
    if (typeof next.value !== "object" || next.value === null || seen.has(next.value)) continue;
    seen.add(next.value);
    for (const [key, item] of Object.entries(next.value)) {
      const pointer = `${next.pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (key === "$ref" && typeof item === "string" && !item.startsWith("#")) {
        if (!found.has(item)) found.set(item, next.pointer);
      } else {
        stack.push({ value: item as Json, pointer });
      }
    }
  }
  return found;
}
