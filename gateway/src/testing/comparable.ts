import type { Observed } from "./observed-ways.ts";

/** Headers that depend on the time, on the connection, or on the framing of the body in HTTP/1.1. */
const OWN: ReadonlySet<string> = new Set([
  "date",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
]);

/** Returns the observations that must be equal in every setup. */
export function comparable({ response, ...others }: Observed): unknown {
  return { ...others, response: comparableResponse({ response }) };
}

/** Returns the parts of a response that must be equal in every setup. */
export function comparableResponse({ response }: Pick<Observed, "response">): unknown {
  const { status, headers, body, trailers } = response;
  const kept = Object.entries(headers).filter(([name]) => !OWN.has(name));
  const length = Number(headers["content-length"] ?? body.length);
  return { status, headers: Object.fromEntries(kept), body: body.toString("latin1"), length, trailers };
}
