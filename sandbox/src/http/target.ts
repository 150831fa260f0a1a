/** A request target: the raw path and query, and their decoded forms. */
export interface Target {
  /** Path exactly as sent, for signatures. */
  readonly rawPath: string;
  readonly rawQuery: string;
  /** Decoded path segments; a trailing slash is dropped. */
  readonly segments: string[];
}

/** Splits a request target. Returns `undefined` when it is not a path or has broken escapes. */
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
