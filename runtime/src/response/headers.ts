import type { HeaderReader } from "../errors/retry-info.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import { safeText } from "../text/safe-text.ts";

/**
 * The headers of an upstream's response that go on to the caller of the RPC: rate limits, `Retry-After`, request
 * ids and notices of deprecation. Others are about the upstream's body, its connection or its cookies.
 */
const PASSED =
  /^(?:x-)?ratelimit(?:-[\w-]+)?$|^x-rate-limit-[\w-]+$|^retry-after$|^(?:x-)?request-id$|^deprecation$|^sunset$/;

/** Copies what goes on to the caller. */
export function passHeaders(headers: ResponseHeaders): Headers {
  const passed = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && PASSED.test(name)) passed.set(name, safeText(String(value)));
  }
  return passed;
}

/** Reads headers by their names in lower case; several values are joined by `, `. */
export function headerReader(headers: ResponseHeaders): HeaderReader {
  return (name) => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return Array.isArray(value) ? value.join(", ") : value;
  };
}
