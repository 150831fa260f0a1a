/** The kinds of single values, as tables and the writer name them. */

/** A scalar of protobuf; `bytes` are base64 in JSON, `textBytes` the UTF-8 of a text. */
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

/** The unit of a time or duration that is written as a number. */
export type CountUnit = "seconds" | "millis" | "micros" | "nanos";

/**
 * How an upstream writes times: a count since 1970, RFC 3339, the dates of HTTP and of mail, or a pattern of
 * `YYYY MM DD HH mm ss`.
 */
export type TimeRule = CountUnit | "iso8601" | "http_date" | "rfc2822" | { readonly pattern: string };

/**
 * How an upstream writes durations: a count, or ISO 8601 (`PT1M30S`). Without one it is as ProtoJSON has it,
 * `3.5s`.
 */
export type DurationRule = CountUnit | "iso8601";
