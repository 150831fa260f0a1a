import { createHash } from "node:crypto";
import type { Call } from "../dispatch/call.ts";
import { bareJson, type HttpResponse, reject } from "../http/response.ts";
import { blogUrl, findBlog } from "../store/blogs.ts";
import { findPost } from "../store/posts.ts";
import { escapeHtml } from "../view/html.ts";
import { postUrl } from "../view/post-object.ts";

const WIDTH = 540;
const POST_URL = /^https?:\/\/([^/?#]+)\/post\/(\d+)(?:[/?#].*)?$/;

/**
 * Handles GET /oembed and /oembed/1.0. Returns the embeddable form of a published post as a bare JSON object.
 */
export function oembed(call: Call): HttpResponse {
  const { db } = call.world;
  const address = call.query.required("url");
  if (call.query.text("format") === "xml") throw reject(501, "XML is not supported");
  const match = POST_URL.exec(address);
  const blog = match ? findBlog(db, match[1] ?? "") : undefined;
  const post = findPost(db, match?.[2] ?? "");
  if (!blog || post?.blog !== blog.uuid || post.state !== "published" || blog.private) {
    throw reject(404, `Post not found: ${address}`);
  }
  const url = postUrl(blog, post);
  const embed = `${call.origin}/embed/post/${blog.uuid}/${post.id}/v2`;
  const did = createHash("sha1").update(url).digest("hex");
  const link = `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`;
  const script = `<script async src="${call.origin}/post.js"></script>`;
  return bareJson({
    cache_age: 3600,
    url,
    provider_url: "https://blog.example",
    provider_name: "Blog Example",
    author_name: blog.data.title,
    version: "1.0",
    author_url: blogUrl(blog),
    type: "rich",
    html: `<div class="post-embed" data-href="${escapeHtml(embed)}" data-did="${did}">${link}</div>${script}`,
    height: null,
    width: Math.min(WIDTH, call.query.integer("maxwidth", { min: 1 }) ?? WIDTH),
  });
}
