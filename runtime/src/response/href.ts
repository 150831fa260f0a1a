import { type JsonValue, type OnMisstep, valueAt } from "connect-rest-codec/internal";

/** A link that must not be followed; `message` says what is wrong with it, without repeating it. */
export class LinkRefused extends Error {}

/**
 * The address in a link at a path: a string, or the `href` of an object. undefined where there is none, also
 * where its place holds `null`, `""`, `false` or `[]`.
 *
 * @throws LinkRefused for a value of another kind
 */
export function hrefAt(root: JsonValue | undefined, path: string, found?: OnMisstep): string | undefined {
  const link = valueAt(root, path);
  const isHeld = typeof link === "object" && link !== null && !isListOfNone(link);
  const href = valueAt(root, isHeld ? [path, "href"].filter((step) => step !== "").join(".") : path, found);
  if (href === undefined || href === null || href === "" || href === false) return undefined;
  if (Array.isArray(href) && href.length === 0) return undefined;
  if (typeof href === "string") return href;
  throw new LinkRefused("a value that is no link");
}

/** Whether a value is a list that does not begin with an object that could be a link. */
function isListOfNone(link: object): boolean {
  return Array.isArray(link) && (typeof link[0] !== "object" || link[0] === null || Array.isArray(link[0]));
}
