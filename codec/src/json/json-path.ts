import { departureOf, objectIn } from "./departure.ts";
import { isJsonObject, type JsonValue, ownValue } from "./json.ts";

/** Something on the way of a path that is no object, although the path leads through it. */
export interface Misstep {
  /** Where the path begins. */
  readonly root: JsonValue;
  /** The part of the path that leads to the value; `""` for the root itself. */
  readonly path: string;
  readonly value: JsonValue;
  readonly class: "converted" | "lost";
}

/** Gets what is no object, and neither null nor absent. */
export type OnMisstep = (misstep: Misstep) => void;

/**
 * The value at a dotted path, `response.blog`, counted from `root`; the path `""` is the root itself. A step
 * that is a number also goes into an array; a key with dots stands in quotes, `page.'@odata.nextLink'`.
 * undefined where the path ends early.
 *
 * This is the one reader of declared places. Each step reads its object as a field of a message does: of a
 * list it is the first item, and what holds nothing is absent. The root is no field: a list is not entered.
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
  return steps
    .slice(0, count)
    .map((step) => (/[.']/.test(step) ? `'${step}'` : step))
    .join(".");
}

/** The steps of a path. */
export function stepsOf(path: string): readonly string[] {
  if (!path.includes("'")) return path.split(".");
  return [...path.matchAll(/'([^']*)'|[^.']+/g)].map(([step, quoted]) => quoted ?? step);
}
