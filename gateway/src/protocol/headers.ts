import type { HttpRequest } from "../listener/http.ts";

/**
 * Returns the headers of a request without HTTP/2 pseudo-headers; repeated headers remain separate values.
 */
export function requestHeaders(request: Pick<HttpRequest, "headers">): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    if (!Array.isArray(value)) {
      headers.append(name, value);
    } else {
      for (const each of value) headers.append(name, each);
    }
  }
  return headers;
}

/** Characters that Node rejects in a header value, which would fail the whole response. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Drops headers and trailers that cannot be sent, so that an invalid one does not fail a successful response.
 */
export function sendable(
  headers: Readonly<Record<string, string | string[]>>,
): Readonly<Record<string, string | string[]>> {
  const names = Object.keys(headers);
  if (names.every((name) => isSendable(headers[name] ?? ""))) return headers;
  const kept = names.filter((name) => isSendable(headers[name] ?? ""));
  return Object.fromEntries(kept.map((name) => [name, headers[name] ?? ""]));
}

function isSendable(value: string | string[]): boolean {
  return typeof value === "string" ? !UNSENDABLE.test(value) : !value.some((each) => UNSENDABLE.test(each));
}

/** Converts headers to Node's format. */
export function toNodeHeaders(headers: Headers | undefined): Record<string, string | string[]> {
  if (headers === undefined) return {};
  // a Map, because a header may have the name of an inherited object property
  let out: Map<string, string | string[]> | undefined;
  for (const [name, value] of headers) {
    out ??= new Map();
    const known = out.get(name);
    out.set(name, known === undefined ? value : [known, value].flat());
  }
  return out === undefined ? {} : Object.fromEntries(out);
}
