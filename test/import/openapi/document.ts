/** Reads OpenAPI documents for tests, without the code of the import. */
import { readFileSync } from "node:fs";
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
import { parse } from "yaml";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** A value of a document, with its JSON pointer. */
export interface Part {
  readonly pointer: string;
  readonly value: Json;
}

const VERBS = ["get", "put", "post", "delete", "options", "head", "patch"];

export interface Operation {
  /** The position in the document, e.g. `#/paths/~1pets/get`. */
  readonly place: string;
  readonly verb: string;
  readonly path: string;
  readonly parameters: readonly Part[];
  /** The request body; undefined for an operation without a request body. */
  readonly body: Part | undefined;
  /** The responses by status. */
  readonly responses: ReadonlyMap<string, Part>;
}

/** An OpenAPI document of version 3.0 or 3.1. */
export class OpenApi {
  readonly version: "3.0" | "3.1";
  readonly value: JsonObject;

  /** Whether the document was converted from Swagger 2.0. */
  readonly isConverted: boolean;

  constructor(value: JsonObject, isConverted = false) {
    this.value = value;
    this.isConverted = isConverted;
    this.version = String(value.openapi).startsWith("3.0") ? "3.0" : "3.1";
  }

  /** Reads a document. Converts Swagger 2.0 to OpenAPI 3.0. */
  static read(path: string): OpenApi {
    const value = parse(readFileSync(path, "utf8"), { maxAliasCount: -1 }) as Json;
    if (!isObject(value)) throw new Error(`${path} is not an object`);
    if (value.swagger === undefined) return new OpenApi(value);
    const upgraded: unknown = upgradeFromTwoToThree(structuredClone(value));
    return new OpenApi(JSON.parse(JSON.stringify(upgraded)) as JsonObject, true);
  }

  /** Returns the part at the end of a path of keys, and of the references that lead to it. */
  child(part: Part, ...keys: readonly (string | number)[]): Part | undefined {
    let current: Part | undefined = part;
    for (const key of keys) {
      if (current === undefined) return undefined;
      const { pointer, value } = this.follow(current);
      const next = memberOf(value, String(key));
      current =
        next === undefined ? undefined : { pointer: `${pointer}/${escaped(String(key))}`, value: next };
    }
    return current;
  }

  /** Returns the part that a `$ref` leads to; the part itself if it has no `$ref`. */
  follow(part: Part): Part {
    const reference = memberOf(part.value, "$ref");
    if (typeof reference !== "string") return part;
    return this.follow(this.at(reference));
  }

  /** Returns the part to which a `$ref` of the document leads. */
  at(reference: string): Part {
    const steps = reference.split("/").slice(1).map(decodeURIComponent);
    let value: Json | undefined = this.value;
    for (const step of steps) value = memberOf(value, step.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (value === undefined) throw new Error(`${reference} is not in the document`);
    return { pointer: ["#", ...steps].join("/"), value };
  }

  get operations(): readonly Operation[] {
    const paths = this.at("#/paths");
    return keysOf(paths.value).flatMap((path) => {
      const item = this.child(paths, path);
      if (item === undefined || path.startsWith("x-")) return [];
      return VERBS.flatMap((verb) => {
        const at = this.child(item, verb);
        return at === undefined
          ? []
          : [this.operation(`#/paths/${escaped(path)}/${verb}`, verb, path, item, at)];
      });
    });
  }

  private operation(place: string, verb: string, path: string, item: Part, at: Part): Operation {
    const parameters = new Map<string, Part>();
    for (const owner of [item, at]) {
      const list = this.child(owner, "parameters");
      for (const [index] of itemsOf(list?.value).entries()) {
        const found = list === undefined ? undefined : this.child(list, index);
        if (found === undefined) continue;
        const parameter = this.follow(found);
        const { in: location, name } = parameter.value as JsonObject;
        parameters.set(`${location} ${name}`, parameter);
      }
    }
    const body = this.child(at, "requestBody");
    const responses = this.child(at, "responses");
    const entries = keysOf(responses?.value).map((status) => {
      const found = responses === undefined ? undefined : this.child(responses, status);
      if (found === undefined) throw new Error(`${place} has no response ${status}`);
      return [status, this.follow(found)] as const;
    });
    return {
      place,
      verb: verb.toUpperCase(),
      path,
      parameters: [...parameters.values()],
      body: body === undefined ? undefined : this.follow(body),
      responses: new Map(entries),
    };
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)] as Json | undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function keysOf(value: Json | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value) : [];
}

/** Escapes a key for a JSON pointer in a URI fragment. */
export function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
