const NOT_STANDARD = /[^A-Za-z0-9+/]/;
const NOT_URL_SAFE = /[^A-Za-z0-9_-]/;

/**
 * Returns whether a string is base64 in one of the two alphabets (RFC 4648 sections 4 and 5): without other
 * characters, without bits after the last byte, and with all of its padding or none. protobuf-es skips
 * characters and bits that it does not need, and would return different bytes than the client encoded.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = padding === 0 ? text : text.slice(0, -padding);
  if (NOT_STANDARD.test(digits) && NOT_URL_SAFE.test(digits)) return false;
  const rest = digits.length % 4;
  if (padding > 0 && rest + padding !== 4) return false;
  if (rest === 0) return true;
  // the final characters for which the bits after the last byte are 0
  const last = rest === 2 ? "AQgw" : "AEIMQUYcgkosw048";
  return rest !== 1 && last.includes(digits.slice(-1));
}
