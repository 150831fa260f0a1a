import { isJsonObject, type JsonValue } from "./json.ts";

/**
 * The value at a dotted path, `response.blog`, counted from `root`; the path `""` is the root itself. A step
 * that is a number also goes into an array; a key with dots stands in quotes, `page.'@odata.nextLink'`.
 * undefined where the path ends early.
 */
export function valueAt(root: JsonValue | undefined, path: string): JsonValue | undefined {
  if (path === "") return root;
  if (!path.includes(".") && !path.includes("'")) return child(root, path);
  let value = root;
  for (const step of stepsOf(path)) value = child(value, step);
  return value;
}

function child(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  // own keys only: `constructor` is no key of `{}`
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** The steps of a path. */
export function stepsOf(path: string): readonly string[] {
  if (!path.includes("'")) return path.split(".");
  return [...path.matchAll(/'([^']*)'|[^.']+/g)].map(([step, quoted]) => quoted ?? step);
}
