import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";

/** One of the two lists of filters. */
interface FilterKind {
  /** The name of the parameter and of the field in responses. */
  readonly name: "filtered_tags" | "filtered_content";
  readonly limit: "filteredTags" | "filteredContent";
  /** The maximum number of code points of a filter. */
  readonly characters: number;
  /** Whether adding an existing filter results in a 400. If not, adding it has no effect. */
  readonly unique: boolean;
  /** Matches characters that a filter of this kind must not contain. */
  readonly forbidden: RegExp;
}

const TAGS: FilterKind = {
  name: "filtered_tags",
  limit: "filteredTags",
  characters: 140,
  unique: false,
  // a comma separates tags wherever there are several
  forbidden: /[,\p{Cc}]/u,
};

const CONTENT: FilterKind = {
  name: "filtered_content",
  limit: "filteredContent",
  characters: 250,
  unique: true,
  forbidden: /\p{Cs}/u,
};

/** Returns a filter without surrounding spaces. Throws 400 if it is empty, too long or invalid. */
function checked(kind: FilterKind, value: string): string {
  const trimmed = value.trim();
  if (trimmed === "") throw reject(400, `${kind.name} holds an empty string`);
  if ([...trimmed].length > kind.characters) {
    throw reject(400, `${kind.name} holds more than ${kind.characters} characters in one string`);
  }
  if (kind.forbidden.test(trimmed)) throw reject(400, `Invalid ${kind.name}: ${trimmed}`);
  return trimmed;
}

function list(call: Call, kind: FilterKind): HttpResponse {
  const rows = call.world.db.all<{ value: string }>(
    "SELECT value FROM filters WHERE user = ? AND kind = ? ORDER BY seq",
    requireUser(call.caller),
    kind.name,
  );
  return envelope({ [kind.name]: rows.map(({ value }) => value) });
}

/** Adds all filters, or none: throws 403 if they exceed the maximum number. */
function add(call: Call, kind: FilterKind): HttpResponse {
  const user = requireUser(call.caller);
  const { db, limits } = call.world;
  const values = call.input.list(kind.name).map((value) => checked(kind, value));
  if (values.length === 0) throw reject(400, `Missing required parameter: ${kind.name}`);
  for (const value of values) {
    const sql = "INSERT OR IGNORE INTO filters (user, kind, value) VALUES (?, ?, ?)";
    const added = db.run(sql, user, kind.name, value);
    if (added === 0 && kind.unique) throw reject(400, `Already filtered: ${value}`);
  }
  const total = db.count("SELECT COUNT(*) AS n FROM filters WHERE user = ? AND kind = ?", user, kind.name);
  if (total > limits[kind.limit]) throw reject(403, `At most ${limits[kind.limit]} ${kind.name}`);
  return envelope({}, 201);
}

/** Removes a filter. Has no effect if the filter does not exist. */
function remove(call: Call, kind: FilterKind, value: string): HttpResponse {
  call.world.db.run(
    "DELETE FROM filters WHERE user = ? AND kind = ? AND value = ?",
    requireUser(call.caller),
    kind.name,
    checked(kind, value),
  );
  return envelope({});
}

/** GET /v2/user/filtered_tags */
export const listFilteredTags = (call: Call): HttpResponse => list(call, TAGS);

/** Handles POST /v2/user/filtered_tags, with one or many tags. */
export const addFilteredTags = (call: Call): HttpResponse => add(call, TAGS);

/** Handles DELETE /v2/user/filtered_tags/{tag}, with the percent-encoded tag in the path. */
export const removeFilteredTag = (call: Call): HttpResponse => remove(call, TAGS, call.path.tag ?? "");

/** GET /v2/user/filtered_content */
export const listFilteredContent = (call: Call): HttpResponse => list(call, CONTENT);

/** Handles POST /v2/user/filtered_content, with one or several strings. */
export const addFilteredContent = (call: Call): HttpResponse => add(call, CONTENT);

/** Handles DELETE /v2/user/filtered_content, with the string in the query or in the body. */
export const removeFilteredContent = (call: Call): HttpResponse =>
  remove(call, CONTENT, call.input.list(CONTENT.name)[0] ?? "");
