import type { SchemaNode } from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import { choicesOf } from "./alternatives.ts";

/** The schemas that requests use. */
export interface Usage {
  /** The keys of the schemas in requests. */
  readonly requested: ReadonlySet<string>;
  /** The properties that identify schemas as members of a union, by the keys of the schemas. */
  readonly discriminators: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Visits all schemas that requests use, directly or indirectly. */
export function usageOf(schemas: Schemas, requests: readonly SchemaNode[]): Usage {
  const requested = new Set<string>();
  const discriminators = new Map<string, Set<string>>();
  const stack = [...requests];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const schema = schemas.read(node);
    if (requested.has(schema.key)) continue;
    requested.add(schema.key);
    const { shape } = schema;
    switch (shape.kind) {
      case "object":
        stack.push(...shape.properties.values());
        if (typeof shape.additional === "object") stack.push(shape.additional);
        break;
      case "array":
        if (shape.items !== undefined) stack.push(shape.items);
        break;
      case "tuple":
        stack.push(...shape.items);
        if (shape.rest !== undefined) stack.push(shape.rest);
        break;
      case "union": {
        stack.push(...shape.alternatives);
        const found = choicesOf(schemas, schema, true);
        if (found?.discriminator === undefined) break;
        for (const choice of found.choices) {
          const known = discriminators.get(choice.schema.key) ?? new Set();
          discriminators.set(choice.schema.key, known.add(found.discriminator));
        }
        break;
      }
      default:
    }
  }
  return { requested, discriminators };
}
