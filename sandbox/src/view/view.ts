import type { Call } from "../dispatch/call.ts";
import type { Fields } from "../http/fields.ts";
import type { World } from "../world.ts";

/** The selected fields of a blog object; see `fields[blogs]`. */
export interface BlogSelection {
  readonly only: Set<string> | undefined;
  readonly optional: Set<string>;
}

/** How a response shows blogs and posts: the viewer, the format, and the additional fields. */
export interface View {
  readonly world: World;
  readonly user: string | undefined;
  readonly blogs: BlogSelection;
  readonly npf: boolean;
  readonly filter: "html" | "text" | "raw";
  readonly reblogInfo: boolean;
  readonly notesInfo: boolean;
}

/**
 * Parses `fields[blogs]=a,b,?c`. Plain names select fields, and names with `?` add optional fields. If all
 * names have a `?`, the default fields are also selected.
 */
function blogSelection(query: Fields): BlogSelection {
  const names = (query.text("fields[blogs]") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const optional = names.filter((name) => name.startsWith("?")).map((name) => name.slice(1));
  const plain = names.filter((name) => !name.startsWith("?"));
  return {
    only: plain.length > 0 ? new Set([...plain, ...optional]) : undefined,
    optional: new Set(optional),
  };
}

/** Returns the view that a request selects. */
export function viewOf(call: Call): View {
  return {
    world: call.world,
    user: call.caller.user,
    blogs: blogSelection(call.query),
    npf: call.query.flag("npf"),
    filter: call.query.oneOf("filter", ["html", "text", "raw"], "html"),
    reblogInfo: call.query.flag("reblog_info"),
    notesInfo: call.query.flag("notes_info"),
  };
}
