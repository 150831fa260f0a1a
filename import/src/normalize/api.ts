import type { Json } from "../json.ts";
import type { SchemaNode } from "./schema.ts";

/** A model of an API that is the same for all versions of documents. */
export interface Api {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly servers: readonly Server[];
  readonly operations: readonly Operation[];
  readonly schemes: ReadonlyMap<string, Scheme>;
  readonly webhooks: readonly Unsupported[];
  /** The descriptions of tags. */
  readonly tags: ReadonlyMap<string, string>;
}

/** An element of the document that cannot be imported. */
export interface Unsupported {
  readonly place: string;
  readonly name: string;
}

export interface Server {
  readonly url: string;
  readonly description: string;
}

/** How callers of the API authenticate. */
export type Scheme =
  | { readonly kind: "apiKey"; readonly in: string; readonly name: string }
  | { readonly kind: "basic" | "oauth2" | "bearer" }
  | { readonly kind: "other"; readonly type: string };

export interface Operation {
  readonly place: string;
  /** The HTTP method, in upper case. */
  readonly verb: string;
  /** The path as the document writes it, with variables in braces. */
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly Response[];
  /** The alternative combinations of schemes; undefined if the document does not specify them. */
  readonly security: readonly Requirement[] | undefined;
  readonly servers: readonly Server[];
  readonly callbacks: readonly Unsupported[];
  /** The links of its responses to other operations. */
  readonly links: readonly Unsupported[];
}

/** The schemes that one alternative requires together, with their scopes. */
export type Requirement = ReadonlyMap<string, readonly string[]>;

export interface Parameter {
  readonly place: string;
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly description: string;
  readonly deprecated: boolean;
  readonly schema: SchemaNode | undefined;
  readonly style: string;
  readonly explode: boolean;
  /** The Content-Type of the value, if the value is not plain text. */
  readonly contentType: string | undefined;
}

export interface Body {
  readonly place: string;
  readonly required: boolean;
  readonly description: string;
  readonly contents: readonly Content[];
}

/** A representation of a body. */
export interface Content {
  readonly place: string;
  /** The media type, without parameters, in lower case. */
  readonly type: string;
  readonly schema: SchemaNode | undefined;
  /** The encodings of individual fields in a form. */
  readonly encodings: ReadonlyMap<string, Json>;
}

export interface Response {
  readonly place: string;
  /** A status (`200`), a class of statuses (`2XX`), or `default`. */
  readonly status: string;
  readonly description: string;
  readonly contents: readonly Content[];
  readonly headers: readonly ResponseHeader[];
}

export interface ResponseHeader {
  readonly place: string;
  readonly name: string;
  readonly description: string;
  readonly schema: SchemaNode | undefined;
}

/** Returns a media type without its parameters. */
export function mediaType(text: string): string {
  return text.replace(/;.*$/s, "").trim().toLowerCase();
}
