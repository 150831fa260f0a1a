import type { Literal } from "protoc-gen-connect-rest/kit";

/** A JSON Schema (draft 2020-12) that is an object; keywords that are undefined are left out. */
export type JsonSchema = { readonly [keyword: string]: Literal };

/** What a rule adds to a schema: keywords, and sentences for what no keyword can say. */
export interface Constraint {
  readonly keywords: JsonSchema;
  readonly hints: readonly string[];
}

export const UNCONSTRAINED: Constraint = { keywords: {}, hints: [] };

/** A schema with a description, made of paragraphs of which some may be empty. */
export function described(schema: JsonSchema, ...paragraphs: readonly string[]): JsonSchema {
  const description = paragraphs.filter((text) => text !== "").join("\n\n");
  return description === "" ? schema : { ...schema, description };
}

/** What a schema is of: requests, which are held to their rules, or responses, which are as they come. */
export type Direction = "input" | "output";
