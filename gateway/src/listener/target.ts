/** The target of a request, in its two parts. */
export interface Target {
  readonly path: string;
  /** What follows the first question mark; those behind it belong to the query (RFC 3986 section 3.4). */
  readonly query: string | undefined;
}

/** Splits the target of a request. */
export function splitTarget(target: string | undefined): Target {
  const text = target ?? "";
  const at = text.indexOf("?");
  return at < 0 ? { path: text, query: undefined } : { path: text.slice(0, at), query: text.slice(at + 1) };
}
