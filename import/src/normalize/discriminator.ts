import { isObject, listAt, member, textAt } from "../json.ts";
import type { Library } from "../load/library.ts";
import { child, type Node, placeOf } from "../load/node.ts";
import type { Discriminator } from "./schema.ts";
import { nameOf } from "./schema-name.ts";

/**
 * Returns the discriminator that a schema declares for its alternatives.
 *
 * @param keyOfTarget returns the identity of the schema that an alternative refers to
 */
export function discriminatorOf(
  node: Node,
  parts: readonly Node[],
  keyOfTarget: (part: Node) => string,
  library: Library,
): Discriminator | undefined {
  const declared = member(node.value, "discriminator");
  const property = typeof declared === "string" ? declared : textAt(declared, "propertyName");
  if (property === undefined) return undefined;
  const mapped = mappedValues(child(node, "discriminator"), library);
  const values = parts.map((part) => {
    const target = keyOfTarget(part);
    const name = nameOf(library.follow(part));
    return [placeOf(part), mapped.get(target) ?? (name === undefined ? [] : [name])] as const;
  });
  return { property, values: new Map(values) };
}

/** Returns the values of `mapping`, by the schemas that they select. */
function mappedValues(discriminator: Node, library: Library): ReadonlyMap<string, readonly string[]> {
  const mapping = member(discriminator.value, "mapping");
  const found = new Map<string, string[]>();
  if (!isObject(mapping)) return found;
  for (const [value, target] of Object.entries(mapping)) {
    if (typeof target !== "string") continue;
    // a bare name is the name of a schema, unless it looks like a file name
    const reference =
      /^[\w.-]+$/.test(target) && !/\.(?:json|ya?ml)$/.test(target)
        ? `#/components/schemas/${target}`
        : target;
    const place = placeOf(library.follow(library.target(reference, child(discriminator, "mapping", value))));
    found.set(place, [...(found.get(place) ?? []), value]);
  }
  return found;
}

/** Returns the named schemas with `allOf`, by the schema that their `allOf` refers to. */
export function subtypesOf(library: Library): ReadonlyMap<string, readonly Node[]> {
  const found = new Map<string, Node[]>();
  for (const folder of [child(library.root, "components", "schemas"), child(library.root, "definitions")]) {
    if (!isObject(folder.value)) continue;
    for (const name of Object.keys(folder.value)) {
      const schema = child(folder, name);
      for (const [index] of listAt(schema.value, "allOf").entries()) {
        const part = child(schema, "allOf", index);
        if (typeof member(part.value, "$ref") !== "string") continue;
        const base = placeOf(library.follow(part));
        found.set(base, [...(found.get(base) ?? []), schema]);
      }
    }
  }
  return found;
}
