/** Validates values against the schemas of an OpenAPI document, with a library that supports 3.0 and 3.1. */
import {
  registerSchema,
  type SchemaObject,
  setShouldValidateFormat,
  setShouldValidateSchema,
  type Validator,
  validate,
} from "@hyperjump/json-schema/openapi-3-1";
import "@hyperjump/json-schema/formats";
import "@hyperjump/json-schema/openapi-3-0";
import type { JsonObject } from "./document.ts";
import type { Value } from "./values.ts";

type InstanceJson = Parameters<Validator>[0];

setShouldValidateFormat(true);
// Documents of real APIs contain keywords that their version does not define.
setShouldValidateSchema(false);

const DIALECTS = {
  "3.0": "https://spec.openapis.org/oas/3.0/schema",
  "3.1": "https://spec.openapis.org/oas/3.1/dialect/base",
} as const;

let documents = 0;

export class SchemaValidator {
  private readonly uri: string;
  private readonly validators = new Map<string, Promise<Validator>>();

  constructor(document: JsonObject, version: keyof typeof DIALECTS) {
    documents += 1;
    this.uri = `https://documents.test/${documents}`;
    registerSchema(structuredClone(document) as SchemaObject, this.uri, DIALECTS[version]);
  }

  /** Returns the violations of a value against the schema at a JSON pointer, as `keyword at instance`. */
  async problems(pointer: string, value: Value): Promise<readonly string[]> {
    const known = this.validators.get(pointer) ?? validate(`${this.uri}${fragment(pointer)}`);
    this.validators.set(pointer, known);
    const result = (await known)(instanceOf(value), "BASIC");
    if (result.valid) return [];
    return (result.errors ?? []).map(({ absoluteKeywordLocation, instanceLocation }) => {
      return `${absoluteKeywordLocation.replace(/^[^#]*/, "")} at ${instanceLocation}`;
    });
  }
}

/**
 * Returns a JSON pointer as an IRI fragment, in which the library requires letters of other scripts as
 * such.
 */
function fragment(pointer: string): string {
  const [, ...steps] = pointer.split("/");
  const encoded = steps.map((step) => {
    return encodeURIComponent(step).replaceAll(/(?:%[89A-F][0-9A-F])+/g, (bytes) =>
      decodeURIComponent(bytes),
    );
  });
  return ["#", ...encoded].join("/");
}

/** Returns a value with numbers in place of bigints. */
function instanceOf(value: Value): InstanceJson {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(instanceOf);
  if (typeof value !== "object" || value === null) return value as InstanceJson;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, instanceOf(each as Value)]));
}
