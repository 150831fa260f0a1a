import { holdsSecret, shownText } from "../errors/redact.ts";
import type { HeaderReader } from "../errors/retry-info.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import type { Secret } from "../text/secret.ts";

/**
 * The headers of an upstream's response that go on to the caller of the RPC: rate limits, `Retry-After`,
 * request ids and notices of deprecation. Others are about the upstream's body,
 * its connection or its cookies.
 */
const PASSED =
  /^(?:x-)?ratelimit(?:-[\w-]+)?$|^x-rate-limit-[\w-]+$|^retry-after$|^(?:x-)?request-id$|^deprecation$|^sunset$/;

/** What gRPC can carry as the text of a header, and all that HTTP should (RFC 9110 section 5.5). */
const SENDABLE = /^[\x20-\x7e]*$/;

/** The headers that go on to the caller, and how many do not because they cannot be sent. */
export interface PassedHeaders {
  readonly headers: Headers;
  /** Those that are too long, or not ASCII, or have a secret in their names. */
  readonly dropped: number;
}

/**
 * Copies what goes on to the caller, without the secrets that were sent.
 *
 * @param call has the secrets; asked where there is something to copy
 */
export function passHeaders(
  headers: ResponseHeaders,
  call: { readonly secrets: () => readonly Secret[] },
): PassedHeaders {
  const passed = new Headers();
  let secrets: readonly Secret[] | undefined;
  let dropped = 0;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || !PASSED.test(name)) continue;
    secrets ??= call.secrets();
    const text = shownText(String(value), secrets);
    if (SENDABLE.test(text) && !holdsSecret(name, secrets)) {
      passed.set(name, text);
    } else {
      dropped++;
    }
  }
  return { headers: passed, dropped };
}

/** Reads headers by their names in lower case; several values are joined by `, `. */
export function headerReader(headers: ResponseHeaders): HeaderReader {
  return (name) => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return Array.isArray(value) ? value.join(", ") : value;
  };
}
