/**
 * An entity tag, if there is one, to the comma behind it. `W/` plays no role in weak comparison;
 * quoted parts may have commas.
 */
const ENTITY_TAG = /[ \t]*(?:(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*"))?[ \t]*(?:,|$)/y;

/** The opaque parts of a list of entity tags, quotes included; `undefined` when it is no such list. */
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
 * Whether `If-None-Match` names the current tag: `*`, or a list with the tag in it, weak or strong (weak
 * comparison). A header that is no list of tags counts as absent. RFC 9110 sections 5.6.1, 8.8.3 and 13.1.2.
 */
export function noneMatchNames(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === "*") return true;
  return opaqueTags(header)?.includes(tag.replace(/^W\//, "")) ?? false;
}
