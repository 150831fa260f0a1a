const UNRESERVED = /^[A-Za-z0-9\-._~]*$/;
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g;

/**
 * Percent-encodes everything except the unreserved characters of RFC 3986 section 2.3, as UTF-8 with
 * upper-case hexadecimal digits. RFC 5849 section 3.6 defines the same encoding, so OAuth 1.0a signs the text
 * as it is sent. The text must be well formed; a lone surrogate throws a URIError.
 */
export function percentEncode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text).replace(
    LEFT_BY_ENCODE_URI_COMPONENT,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Percent-encodes bytes that may not be text, as in `application/x-www-form-urlencoded`. */
export function percentEncodeBytes(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    text += UNRESERVED.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return text;
}
