import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { readJson } from "../json.ts";
import type { Blog } from "../store/blogs.ts";
import { page, readableBlog } from "../view/access.ts";
import { offsetLinks } from "../view/links.ts";

/** Matches valid blog identifiers. All other identifiers result in a 400. */
const IDENTIFIER = /^(t:[A-Za-z0-9_-]+|[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)$/;

function pagesBlog(call: Call): Blog {
  requireUser(call.caller);
  if (!IDENTIFIER.test(call.path.blog ?? "")) throw reject(400, "Invalid blog identifier");
  return readableBlog(call);
}

/** Handles GET /v2/blog/{blog-identifier}/pages. Lists pages by position. */
export function listPages(call: Call): HttpResponse {
  const blog = pagesBlog(call);
  const { limit, offset } = page(call);
  const { db } = call.world;
  const total = db.count("SELECT COUNT(*) AS n FROM pages WHERE blog = ?", blog.uuid);
  const rows = db.all<{ data: string }>(
    "SELECT data FROM pages WHERE blog = ? ORDER BY position LIMIT ? OFFSET ?",
    blog.uuid,
    limit,
    offset,
  );
  const pages = rows.map((row) => readJson(row.data) as unknown);
  return envelope({ pages, total_pages: total, ...offsetLinks(call, total, limit, offset) });
}

/** GET /v2/blog/{blog-identifier}/pages/{page-name} */
export function onePage(call: Call): HttpResponse {
  const blog = pagesBlog(call);
  const path = call.path.page ?? "";
  const row = call.world.db.get<{ data: string }>(
    "SELECT data FROM pages WHERE blog = ? AND path = ?",
    blog.uuid,
    path,
  );
  if (!row) throw reject(404, `Page not found: ${path}`);
  return envelope(readJson(row.data));
}
