/**
 * Matches an optional entity tag and the comma after it. Weak comparison ignores `W/`. The quoted part may
 * contain commas.
 */
const ENTITY_TAG = /[ \t]*(?:(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*"))?[ \t]*(?:,|$)/y;

/**
 * Returns the opaque parts of a list of entity tags, with quotes, or `undefined` if the list is malformed.
 */
function opaqueTags(list: string): string[] | undefined {
  const tags: string[] = [];
  ENTITY_TAG.lastIndex = 0;
  while (ENTITY_TAG.lastIndex < list.length) {
    const match = ENTITY_TAG.exec(list);
    if (match === null) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
  }
  return tags;
}

/**
 * Reports whether `If-None-Match` matches the current tag: it is `*`, or a list that contains the tag, by
 * weak comparison. A malformed header counts as absent (RFC 9110 sections 5.6.1, 8.8.3 and 13.1.2).
 */
export function noneMatchNames(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return opaqueTags(header)?.includes(tag.replace(/^W\//, "")) ?? false;
}
