import type { ReceivedRequest } from "connect-rest-sandbox";

/** Address patterns of the endpoints, most specific first. `P` is `/v2/blog/{blog-identifier}`. */
const PATTERNS: ReadonlyArray<readonly [string, RegExp]> = [
  ["P/posts/queue/reorder", /^\/posts\/queue\/reorder$/],
  ["P/posts/queue/shuffle", /^\/posts\/queue\/shuffle$/],
  ["P/posts/queue", /^\/posts\/queue$/],
  ["P/posts/draft", /^\/posts\/draft$/],
  ["P/posts/submission", /^\/posts\/submission$/],
  ["P/posts/{post-id}/mute", /^\/posts\/\d+\/mute$/],
  ["P/posts/{post-id}", /^\/posts\/\d+$/],
  ["P/posts", /^\/posts(\/[a-z]+)?$/],
  ["P/avatar", /^\/avatar(\/\d+)?$/],
  ["P/blocks/bulk", /^\/blocks\/bulk$/],
  ["P/pages/{page-name}", /^\/pages\/.+$/],
];

/** Address patterns of the community endpoints. `C` is `/v2/communities/{community-handle}`. */
const COMMUNITY_PATTERNS: ReadonlyArray<readonly [string, RegExp]> = [
  ["C/invitations/{blog-identifier}", /^\/invitations\/[^/]+$/],
  ["C/members/{blog-identifier}", /^\/members\/[^/]+$/],
  ["C/posts/{post-id}/reactions/{reaction-id}", /^\/posts\/\d+\/reactions\/.+$/],
  ["C/posts/{post-id}/reactions", /^\/posts\/\d+\/reactions$/],
  ["C/moderation/posts/{post-id}", /^\/moderation\/posts\/\d+$/],
];

/**
 * Returns the endpoint of a request as `METHOD P/...`, `METHOD C/...`, or `METHOD /path` for other addresses.
 */
export function endpointOf({ method, path }: ReceivedRequest): string {
  if (/^\/v2\/user\/filtered_tags\/./.test(path)) return `${method} /v2/user/filtered_tags/{tag}`;
  const inCommunity = /^\/v2\/communities\/[^/]+(.*)$/.exec(path)?.[1];
  if (inCommunity !== undefined) {
    const found = COMMUNITY_PATTERNS.find(([, pattern]) => pattern.test(inCommunity));
    return `${method} ${found?.[0] ?? `C${inCommunity}`}`;
  }
  const rest = /^\/v2\/blog\/[^/]+(\/.*)$/.exec(path)?.[1];
  if (rest === undefined) return `${method} ${path}`;
  const found = PATTERNS.find(([, pattern]) => pattern.test(rest));
  return `${method} ${found?.[0] ?? `P${rest}`}`;
}

/** Returns the names of a request's parameters in the path, query, body and OAuth header. */
export function parametersOf(request: ReceivedRequest): string[] {
  const names = [
    ...request.query.keys(),
    ...bodyNames(request),
    ...pathNames(request),
    ...headerNames(request),
  ];
  return names.map((name) => name.replace(/\[\d+\]$/, ""));
}

function pathNames({ path }: ReceivedRequest): string[] {
  const names = path.startsWith("/v2/blog/") ? ["blog-identifier"] : [];
  if (/\/posts\/\d+/.test(path)) names.push("post-id");
  if (/\/posts\/[a-z]+$/.test(path)) names.push("type");
  if (/\/avatar\/\d+$/.test(path)) names.push("size");
  if (/\/pages\/./.test(path)) names.push("page-name");
  if (path.startsWith("/v2/communities/")) names.push("community-handle");
  if (/^\/v2\/communities\/[^/]+\/(invitations|members)\/./.test(path)) names.push("blog-identifier");
  if (/\/reactions\/./.test(path)) names.push("reaction-id");
  if (/\/filtered_tags\/./.test(path)) names.push("tag");
  return names;
}

function headerNames({ headers }: ReceivedRequest): string[] {
  return [...(headers.authorization ?? "").matchAll(/(oauth_\w+)=/g)].map(([, name = ""]) => name);
}

function bodyNames(request: ReceivedRequest): string[] {
  const type = request.headers["content-type"] ?? "";
  if (request.size === 0) return [];
  if (type.startsWith("application/json")) return Object.keys(request.json as object);
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return [...new URLSearchParams(request.text).keys()];
  }
  if (!type.startsWith("multipart/")) return [];
  const json = /name="json".*?\r\n\r\n(.*?)\r\n--/s.exec(request.text)?.[1];
  const parts = [...request.text.matchAll(/form-data; name="([^"]*)"/g)].map(([, name = ""]) => name);
  return json === undefined ? parts : [...parts, ...Object.keys(JSON.parse(json) as object)];
}
