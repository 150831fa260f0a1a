/** A request target: the raw path and query, and their decoded forms. */
export interface Target {
  /** The path exactly as it was sent, for signatures. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** The decoded path segments, without an empty segment for a trailing slash. */
  readonly segments: string[];
}

/** Splits a request target. Returns `undefined` if it is not a path, or has broken escapes. */
export function parseTarget(url: string): Target | undefined {
  const absolute = /^https?:\/\/[^/?#]*/i.exec(url);
  const local = absolute ? url.slice(absolute[0].length) || "/" : url;
  if (!local.startsWith("/")) return undefined;
  const at = local.indexOf("?");
  const rawPath = at < 0 ? local : local.slice(0, at);
  const pieces = rawPath.slice(1).split("/");
  if (pieces.at(-1) === "") pieces.pop();
  try {
    return { rawPath, rawQuery: at < 0 ? "" : local.slice(at + 1), segments: pieces.map(decodeURIComponent) };
  } catch {
    return undefined;
  }
}
