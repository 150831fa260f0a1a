/** The path and the query of a request target. */
export interface Target {
  readonly path: string;
  /**
   * The string after the first question mark. Any further question marks belong to the query (RFC 3986
   * section 3.4).
   */
  readonly query: string | undefined;
}

/** Splits a request target. */
export function splitTarget(target: string | undefined): Target {
  const text = target ?? "";
  const at = text.indexOf("?");
  return at < 0 ? { path: text, query: undefined } : { path: text.slice(0, at), query: text.slice(at + 1) };
}
