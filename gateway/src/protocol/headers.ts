import type { HttpRequest } from "../listener/http.ts";

/** A request's headers without HTTP/2's pseudo headers; several values of one name stay several. */
export function requestHeaders(request: HttpRequest): Headers {
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

/** Headers as Node takes them. */
export function toNodeHeaders(headers: Headers | undefined): Record<string, string | string[]> {
  // a header may be named like what objects inherit
  const out = new Map<string, string | string[]>();
  for (const [name, value] of headers ?? []) {
    const known = out.get(name);
    out.set(name, known === undefined ? value : [known, value].flat());
  }
  return Object.fromEntries(out);
}
