/** The kinds of single values, as tables and writers name them. */

/** A protobuf scalar. `bytes` is base64 in JSON; `textBytes` is the UTF-8 of a string. */
export type ScalarKind =
  | "string"
  | "bytes"
  | "textBytes"
  | "bool"
  | "double"
  | "float"
  | "int32"
  | "sint32"
  | "uint32"
  | "fixed32"
  | "sfixed32"
  | "int64"
  | "sint64"
  | "uint64"
  | "fixed64"
  | "sfixed64";

/** The unit of a numeric time or duration. */
export type CountUnit = "seconds" | "millis" | "micros" | "nanos";

/**
 * The time format of an upstream: a count since 1970, RFC 3339, the dates of HTTP and mail, or a pattern of
 * `YYYY MM DD HH mm ss`.
 */
export type TimeRule = CountUnit | "iso8601" | "http_date" | "rfc2822" | { readonly pattern: string };

/**
 * The duration format of an upstream: a count, or ISO 8601 (`PT1M30S`). The default is ProtoJSON, `3.5s`.
 */
export type DurationRule = CountUnit | "iso8601";
