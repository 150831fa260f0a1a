import { type JsonValue, type OnMisstep, objectIn, valueAt } from "connect-rest-codec/internal";

/**
 * Thrown for a link that must not be followed. `message` describes the problem without repeating the link.
 */
export class LinkRejected extends Error {}

/**
 * Returns the address of the link at a path: a string, or the `href` of an object. Returns undefined if the
 * path has no value, or if its value is `null`, `""`, `false`, `[]` or `{}`.
 *
 * @throws LinkRejected for a value of another type
 */
export function hrefAt(root: JsonValue | undefined, path: string, found?: OnMisstep): string | undefined {
  const holder = objectIn(valueAt(root, path));
  const steps = holder === undefined ? [path] : [path, "href"].filter((step) => step !== "");
  const href = valueAt(root, steps.join("."), found);
  if (href === undefined && holder !== undefined && Object.keys(holder).length > 0) {
    throw new LinkRejected("an object without href");
  }
  if (href === undefined || href === null || href === "" || href === false) return undefined;
  if (Array.isArray(href) && href.length === 0) return undefined;
  if (typeof href === "string") return href;
  throw new LinkRejected("a value that is no link");
}
