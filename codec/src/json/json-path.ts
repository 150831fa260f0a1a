import { departureOf, objectIn } from "./departure.ts";
import { isJsonObject, type JsonValue, ownValue } from "./json.ts";
import { joinedPath, stepsOf, stepText } from "./path-text.ts";

/** A value inside a path that is not an object, although the path continues through it. */
export interface Misstep {
  /** The value at which the path starts. */
  readonly root: JsonValue;
  /** The part of the path up to the value; `""` for the root. */
  readonly path: string;
  readonly value: JsonValue;
  readonly class: "converted" | "lost";
}

/** Called with a value that is neither an object nor null nor absent. */
export type OnMisstep = (misstep: Misstep) => void;

/**
 * Returns the value at a dotted path such as `response.blog`, relative to `root`. The path `""` is the root
 * itself. A numeric step also enters an array, and a key with dots is quoted: `page.'@odata.nextLink'`.
 * Returns undefined if the path ends early.
 *
 * This function reads all declared paths. Each step reads its object as a message field does: a list
 * represents its first item, and an empty value is absent. The root is not a field, so a root list is not
 * entered.
 */
export function valueAt(root: JsonValue | undefined, path: string, found?: OnMisstep): JsonValue | undefined {
  if (path === "") return root;
  const isKey = !path.includes(".") && !path.includes("'");
  if (isKey && isJsonObject(root)) return ownValue(root, path);
  const steps = isKey ? [path] : stepsOf(path);
  let value = root;
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index] ?? "";
    if (isJsonObject(value)) {
      value = ownValue(value, step);
    } else if (Array.isArray(value) && /^\d+$/.test(step)) {
      value = value[Number(step)];
    } else {
      if (value === undefined || value === null) return undefined;
      found?.({ root: root as JsonValue, path: pathTo(steps, index), value, class: departureOf(value) });
      const object = index === 0 ? undefined : objectIn(value);
      value = object && ownValue(object, step);
    }
  }
  return value;
}

function pathTo(steps: readonly string[], count: number): string {
  return steps.slice(0, count).map(stepText).reduce(joinedPath, "");
}
