import type { Condition } from "connect-rest-codec/internal";

/**
 * The rules of the annotation language that the runtime acts on, as plain data. The generator prints the
 * rules of every method, merged with the rules of the service. It omits rules that equal `DEFAULT_RULES`,
 * which are added when the adapter is loaded. Nothing here is parsed at run time.
 */

/** The kinds of credentials of a call, in the method's order of preference. */
export type CredentialKind = "none" | "api_key" | "oauth1_client" | "oauth1" | "oauth2" | "basic";

/** The place of an API key: a query parameter or a header, with an optional prefix such as `Key `. */
export interface ApiKeyRule {
  readonly query?: string;
  readonly header?: string;
  readonly prefix?: string;
}

/**
 * The wrapper around every payload of an upstream, as dotted paths from the root of the body, e.g.
 * `meta.status`. `payload` lists alternatives: the first that is present is the payload; `""` is the root.
 */
export interface EnvelopeRule {
  readonly payload: readonly string[];
  readonly status?: string;
  readonly message?: string;
  readonly errors?: string;
  /** The upstream's spellings of an empty payload; undefined for `null`, `[]` and `{}`. */
  readonly empty?: readonly EmptySpelling[];
  /** Paths to expected keys that no rule reads. */
  readonly known?: readonly string[];
}

/** An upstream's spelling of an empty value: `absent` is a missing key, `empty_body` a missing body. */
export type EmptySpelling =
  | "absent"
  | "null"
  | "false"
  | "empty_array"
  | "empty_object"
  | "empty_string"
  | "empty_body";

/** A format in which an upstream writes its errors; a dotted `path` starts at the root of the body. */
export type ErrorShape =
  /** An array of objects (or one object) with keys for title, code and detail. */
  | {
      readonly kind: "items";
      readonly path: string;
      readonly title: string;
      readonly code: string;
      readonly detail: string;
      /** Dotted path in an item to the name of the invalid request field; undefined if items name none. */
      readonly field?: string;
    }
  /** Objects whose keys are titles and whose string values are details: `[{"Some title": "Some detail"}]`. */
  | { readonly kind: "title_map"; readonly path: string }
  /** An object whose keys are request fields, and whose values are texts or lists of texts. */
  | { readonly kind: "field_map"; readonly path: string }
  /** A plain string. */
  | { readonly kind: "text"; readonly path: string }
  /** RFC 6749 section 5.2: `error`, `error_description`. */
  | { readonly kind: "oauth" }
  /** google.rpc.Status as JSON, bare or below `error`; its details are decoded. */
  | { readonly kind: "rpc_status" };

/**
 * Maps an HTTP status, with an optional subcode or condition on a header or the body,
 * to an RPC code and a reason.
 */
export interface ErrorRule {
  /** The HTTP status; undefined, or 0, means any. */
  readonly status?: number;
  /** The upstream's own code inside the body, a number or a word; undefined means any. */
  readonly subcode?: number | string;
  /** A response header that must be present and, where `value` is given, equal it (ignoring case). */
  readonly header?: { readonly name: string; readonly value?: string };
  /** A condition on the body, or on a record of a stream. */
  readonly body?: Condition;
  /** The RPC code, as the number of google.rpc.Code; undefined means the default of the status. */
  readonly code?: number;
  /** `ErrorInfo.reason`, UPPER_SNAKE_CASE; undefined means the default of the status. */
  readonly reason?: string;
}

/** A response header, or a key of an error body, that states when to retry. */
export interface RetryAfterRule {
  /** The name of the header; undefined if `path` is set. */
  readonly header?: string;
  /** Dotted path from the root of the body. */
  readonly path?: string;
  /**
   * `seconds` or `millis` from now (a fraction is allowed), `epoch` seconds,
   * or an `http_date` (RFC 9110 section 5.6.7).
   */
  readonly format: "seconds" | "millis" | "epoch" | "http_date";
  /** The rule applies only while this header holds this value, e.g. a remaining count of `0`. */
  readonly when?: { readonly name: string; readonly value: string };
}

/** A key of an error body that is passed to callers in `ErrorInfo.metadata`. */
export interface ErrorMetadataRule {
  /** The key in the metadata. */
  readonly key: string;
  /** Dotted path from the root of the body. */
  readonly path: string;
}

/** The format of a response body; `by_content_type` is JSON, a form or bytes. */
export type ResponseEncoding = "json" | "form" | "bytes" | "empty" | "by_content_type" | "json_or_form";

/** A known limit of the upstream. Every request counts, including pages, polls and failed requests. */
export interface RateLimitRule {
  /** Requests allowed in a window. */
  readonly requests: number;
  /** Length of a sliding window in milliseconds; not used with `calendarDay`. */
  readonly windowMs: number;
  /** The window is the calendar day of this time zone, e.g. `UTC`. */
  readonly calendarDay?: string;
  /** Methods of an upstream that name the same bucket share it. `""` is a bucket for this method only. */
  readonly bucket: string;
  /** Each set of credentials has its own bucket. */
  readonly perCredentials: boolean;
  /** Only requests that meet this condition count. */
  readonly when?: RequestCondition;
}

/** A condition on a field of the request message. */
export interface RequestCondition {
  /** The names of fields in the .proto file, joined by dots. */
  readonly field: string;
  /**
   * The values that the field, or an item of it, may have: a scalar as text, or the name of an enum value.
   */
  readonly values?: readonly string[];
  readonly present?: boolean;
}

/** The rule for waiting until accepted work completes. Paths are dotted and start at the payload. */
export interface OperationRule {
  /**
   * The source of the status: a link in a header or in the payload, or a path around a value of the payload.
   */
  readonly status:
    | { readonly kind: "header"; readonly header: string }
    | { readonly kind: "link"; readonly path: string }
    | { readonly kind: "path"; readonly before: string; readonly key: string; readonly after: string };
  readonly done?: Condition;
  readonly failed?: Condition;
  readonly result?: string;
  readonly resultLink?: string;
  /** The first wait, in milliseconds. Default: 1000. */
  readonly intervalMs?: number;
  /** Default: 1000. */
  readonly maxPolls?: number;
}

/** The properties of a method that do not depend on the request. */
export interface MethodRules {
  /** The name of the upstream in the configuration. */
  readonly upstream: string;
  /** The base address of the upstream; `""` is the default one. */
  readonly base: string;
  readonly credentials: readonly CredentialKind[];
  readonly apiKey?: ApiKeyRule;
  readonly envelope?: EnvelopeRule | undefined;
  /** The payload type that decides which alternative of the envelope is preferred. */
  readonly payloadType?: "array" | "object";
  readonly errorShapes: readonly ErrorShape[];
  readonly errors: readonly ErrorRule[];
  readonly retryAfter: readonly RetryAfterRule[];
  readonly errorMetadata?: readonly ErrorMetadataRule[];
  /** Attaches the upstream's body, truncated, to errors. Never set for methods that exchange credentials. */
  readonly rawErrorBody: boolean;
  /** Redirects of GET and HEAD are followed if the upstream's options allow it. */
  readonly redirects: boolean;
  /** Statuses outside 200 to 299 that mean success, e.g. 304. */
  readonly success: readonly number[];
  readonly responseEncoding: ResponseEncoding;
  /** The method's own deadline in milliseconds. */
  readonly timeoutMs?: number;
  /** OAuth scopes that the caller needs. */
  readonly scopes: readonly string[];
  /** Known limits of the upstream. */
  readonly rateLimits?: readonly RateLimitRule[];
  /**
   * The request may be retried after it may have been executed: by `idempotent`, `idempotency_level`, the
   * verb, or a key.
   */
  readonly idempotent: boolean;
  /** A response may mean that the work is only accepted. */
  readonly operation?: OperationRule;
  /** The header, in lower case, for the call's idempotency key, which makes requests safe to retry. */
  readonly idempotencyKey?: string;
  /**
   * Dotted request fields with the caller's own credentials: if one is set, a 401 is about these credentials.
   */
  readonly credentialFields?: readonly string[];
}
