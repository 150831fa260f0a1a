import type { Call } from "../dispatch/call.ts";
import { percentEncode } from "../http/fields.ts";
import type { JsonObject } from "../json.ts";

/** The parameters that control how posts and blogs are shown. Every page of a list repeats them. */
const SHOWN = new Set(["npf", "filter", "reblog_info", "notes_info", "fields[blogs]"]);

/** Returns a link to another page of the same list, as a relative action whose parameters are strings. */
export function pageLink(call: Call, place: Record<string, string>): JsonObject {
  const shown = Object.fromEntries(call.queryPairs.filter(([name]) => SHOWN.has(name)));
  const params = { ...place, ...shown };
  const query = Object.entries(params)
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value)}`)
    .join("&");
  return { type: "action", href: `${call.target.rawPath}?${query}`, method: "GET", query_params: params };
}

/**
 * Returns the `_links` of a list with offsets: `next` except on the last page, `prev` except on the first
 * page.
 *
 * @param filters the parameters that select the items in the list; every page repeats them
 */
export function offsetLinks(
  call: Call,
  total: number,
  limit: number,
  offset: number,
  filters: Record<string, string> = {},
): JsonObject {
  const links: JsonObject = {};
  const at = (value: number) => pageLink(call, { limit: String(limit), offset: String(value), ...filters });
  if (offset + limit < total) links.next = at(offset + limit);
  if (offset > 0) links.prev = at(Math.max(0, offset - limit));
  return Object.keys(links).length > 0 ? { _links: links } : {};
}
