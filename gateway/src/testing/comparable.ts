import type { Observed } from "./observed-ways.ts";

/** Headers of a time, a connection, or of how the end of the body is told over HTTP/1.1. */
const OWN: ReadonlySet<string> = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
]);

/** What must be the same by all ways. */
export function comparable({ response, ...others }: Observed): unknown {
  return { ...others, response: comparableResponse({ response }) };
}

/** The same of the response alone. */
export function comparableResponse({ response }: Pick<Observed, "response">): unknown {
  const { status, headers, body, trailers } = response;
  const kept = Object.entries(headers).filter(([name]) => !OWN.has(name));
  const length = Number(headers["content-length"] ?? body.length);
  return { status, headers: Object.fromEntries(kept), body: body.toString("latin1"), length, trailers };
}
