import { percentEncode, percentEncodeBytes } from "../text/percent-encode.ts";
import { invalidParameter } from "./invalid-value.ts";
import { checkCommas, type ParameterValue, wellFormed } from "./parameters.ts";
import { scalarText } from "./scalar-text.ts";

// field-content of RFC 9110 section 5.5: visible ASCII, obs-text, space and tab
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
// receivers trim these characters (RFC 9110 section 5.5)
const PADDED = /^[\t ]|[\t ]$/;
// cookie-octet of RFC 6265 section 4.1.1
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/**
 * Returns a value as a string for a request header (RFC 9110 section 5.5).
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID, for line breaks, other control
 *   characters, characters outside of Latin-1, and leading or trailing spaces, which would be lost
 */
export function headerValue(name: string, value: ParameterValue): string {
  const text = latin1(value);
  if (PADDED.test(text)) {
    const problem = "begins or ends with a space, which headers lose";
    throw invalidParameter(name, "header", { problem, remedy: "send it without" }, { value });
  }
  if (HEADER_VALUE.test(text)) return text;
  throw invalidParameter(
    name,
    "header",
    {
      problem: "contains a line break, a control character, or a character outside Latin-1",
      remedy: "send printable text on one line",
    },
    { value },
  );
}

/**
 * Percent-encodes a value for a header or a cookie. Bytes without a prefix may be any bytes.
 *
 * @param prefix the charset of RFC 8187 section 3.2: `UTF-8''`
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID, for text that is not well formed
 */
export function percentValue(value: ParameterValue, field: string, prefix = ""): string {
  if (prefix === "" && value instanceof Uint8Array) return percentEncodeBytes(value);
  return prefix + percentEncode(wellFormed(field, "header", value));
}

/** Escapes the characters of JSON that are not printable ASCII. The result represents the same value. */
export function asciiJson(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns a string with one Latin-1 character for each byte on the wire. */
function latin1(value: ParameterValue): string {
  if (!(value instanceof Uint8Array)) return scalarText(value);
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
}

/**
 * Returns a value as a string for a cookie (RFC 6265 section 4.1.1).
 *
 * @throws ConnectError INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID
 */
export function cookieValue(name: string, value: ParameterValue): string {
  const text = latin1(value);
  if (COOKIE_VALUE.test(text)) return text;
  throw invalidParameter(
    name,
    "cookie",
    {
      problem: "contains a space, comma, semicolon, quote, backslash, or a non-ASCII character",
      remedy: "send only characters that are allowed in cookies",
    },
    { value },
  );
}

/**
 * Joins a list into one header value, with commas (RFC 9110 section 5.6.1).
 *
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `commaText` and `headerValue`, and for an empty
 *   value
 */
export function joinHeader(values: readonly ParameterValue[], field: string): string {
  checkCommas(field, "header", values);
  const texts = values.map((value) => headerValue(field, value));
  if (!texts.includes("")) return texts.join(", ");
  const problem = "has an empty value, which lists in headers lose";
  throw invalidParameter(field, "header", { problem, remedy: "send it without" }, { value: values });
}
