import { redactTexts } from "../errors/redact.ts";
import type { HeaderReader } from "../errors/retry-info.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import { safeText } from "../text/safe-text.ts";
import type { Secret } from "../text/secret.ts";

/**
 * The upstream's response headers that the caller of the RPC receives: rate limits, `Retry-After`, request
 * ids and deprecation notices. Other headers concern the upstream's body, its connection or its cookies.
 */
const PASSED =
  /^(?:x-)?ratelimit(?:-[\w-]+)?$|^x-rate-limit-[\w-]+$|^retry-after$|^(?:x-)?request-id$|^deprecation$|^sunset$/;

/**
 * Matches the characters that gRPC can send in text headers. HTTP should not use other characters (RFC 9110
 * section 5.5).
 */
const SENDABLE = /^[\x20-\x7e]*$/;

/** The headers for the caller, and the number of headers that cannot be sent. */
export interface PassedHeaders {
  readonly headers: Headers;
  /** The number of headers that are too long or not ASCII, or whose name contains a secret. */
  readonly dropped: number;
}

/**
 * Copies the headers for the caller, without the secrets that were sent.
 *
 * @param call provides the secrets; read only if there is a header to copy
 */
export function passHeaders(
  headers: ResponseHeaders,
  call: { readonly secrets: () => readonly Secret[] },
): PassedHeaders {
  const passed = new Headers();
  const names = Object.keys(headers).filter((name) => headers[name] !== undefined && PASSED.test(name));
  if (names.length === 0) return { headers: passed, dropped: 0 };
  const texts = redactTexts(
    names.flatMap((name) => [name, String(headers[name])]),
    call.secrets(),
  );
  let dropped = 0;
  names.forEach((name, at) => {
    const text = safeText(texts[2 * at + 1] ?? "");
    if (SENDABLE.test(text) && texts[2 * at] === name) {
      passed.set(name, text);
    } else {
      dropped++;
    }
  });
  return { headers: passed, dropped };
}

/** Returns a function that reads headers by names in lower case. Several values are joined by `, `. */
export function headerReader(headers: ResponseHeaders): HeaderReader {
  return (name) => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return Array.isArray(value) ? value.join(", ") : value;
  };
}
