import type { HttpRequest } from "../listener/http.ts";

/** A request's headers without HTTP/2's pseudo headers; several values of one name stay several. */
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

/** What Node rejects to send as a value, failing the whole response. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** Those headers or trailers that can be sent: one that cannot must not fail a response that is good. */
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

/** Headers as Node takes them. */
export function toNodeHeaders(headers: Headers | undefined): Record<string, string | string[]> {
  if (headers === undefined) return {};
  // a header may be named like what objects inherit
  let out: Map<string, string | string[]> | undefined;
  for (const [name, value] of headers) {
    out ??= new Map();
    const known = out.get(name);
    out.set(name, known === undefined ? value : [known, value].flat());
  }
  return out === undefined ? {} : Object.fromEntries(out);
}
