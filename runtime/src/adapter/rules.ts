import type { Condition } from "connect-rest-codec/internal";

/**
 * The rules of the annotation language that the runtime acts on, as plain data. The generator prints
 * those of every method, with the rules of the service merged in and without those that equal
 * `DEFAULT_RULES`, which are added when the adapter is loaded; nothing here is parsed at run time.
 */

/** What a call carries to prove who it is, in the order in which the method prefers them. */
export type CredentialKind = "none" | "api_key" | "oauth1_client" | "oauth1" | "oauth2" | "basic";

/** Where an API key goes: a query parameter or a header, with an optional prefix such as `Key `. */
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
  /** How the upstream spells an empty payload; undefined for `null`, `[]` and `{}`. */
  readonly empty?: readonly EmptySpelling[];
  /** Paths to keys that no rule reads, and that bodies have all the same. */
  readonly known?: readonly string[];
}

/** How an upstream writes that there is nothing: `absent` is a missing key, `empty_body` no body at all. */
export type EmptySpelling =
  | "absent"
  | "null"
  | "false"
  | "empty_array"
  | "empty_object"
  | "empty_string"
  | "empty_body";

/** One way in which an upstream writes its errors; a dotted `path` counts from the root of the body. */
export type ErrorShape =
  /** An array of objects (or one object) with keys for title, code and detail. */
  | {
      readonly kind: "items";
      readonly path: string;
      readonly title: string;
      readonly code: string;
      readonly detail: string;
      /** Dotted path in an item to the request field that is wrong; undefined where items name none. */
      readonly field?: string;
    }
  /** Objects whose keys are titles and whose string values are details: `[{"Some title": "Some detail"}]`. */
  | { readonly kind: "title_map"; readonly path: string }
  /** An object whose keys are request fields, and whose values are texts or lists of them. */
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

/** A response header, or a key of an error body, that says when to come back. */
export interface RetryAfterRule {
  /** The name of the header; undefined where `path` says where to look. */
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

/** A key of an error body that callers get in `ErrorInfo.metadata`. */
export interface ErrorMetadataRule {
  /** The key in the metadata. */
  readonly key: string;
  /** Dotted path from the root of the body. */
  readonly path: string;
}

/** How the body of a response is read; `by_content_type` is JSON, a form or bytes. */
export type ResponseEncoding = "json" | "form" | "bytes" | "empty" | "by_content_type" | "json_or_form";

/**
 * A limit that the upstream is known to set. Every request counts: also pages, polls, and those that fail.
 */
export interface RateLimitRule {
  /** Requests allowed in a window. */
  readonly requests: number;
  /** Length of a sliding window in milliseconds; not used with `calendarDay`. */
  readonly windowMs: number;
  /** The window is the calendar day of this time zone, e.g. `UTC`. */
  readonly calendarDay?: string;
  /** Methods of an upstream that name the same bucket share it. `""` is the method's own. */
  readonly bucket: string;
  /** Each set of credentials has a bucket of its own. */
  readonly perCredentials: boolean;
  /** Only requests that meet it count. */
  readonly when?: RequestCondition;
}

/** A condition on a field of the request message. */
export interface RequestCondition {
  /** The names of fields in the .proto file, joined by dots. */
  readonly field: string;
  /** The field, or an item of it, has one of these: a scalar as text, or the name of an enum's value. */
  readonly values?: readonly string[];
  readonly present?: boolean;
}

/** How accepted work is waited for. Paths are dotted and start at the payload. */
export interface OperationRule {
  /** Where its status is: a link in a header or in the payload, or a path around a value of the payload. */
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

/** Everything about a method that does not depend on the request. */
export interface MethodRules {
  /** The name of the upstream in the configuration. */
  readonly upstream: string;
  /** Which of the upstream's base addresses; `""` is its default one. */
  readonly base: string;
  readonly credentials: readonly CredentialKind[];
  readonly apiKey?: ApiKeyRule;
  readonly envelope?: EnvelopeRule | undefined;
  /** What the payload must be for an alternative of the envelope to be preferred. */
  readonly payloadType?: "array" | "object";
  readonly errorShapes: readonly ErrorShape[];
  readonly errors: readonly ErrorRule[];
  readonly retryAfter: readonly RetryAfterRule[];
  readonly errorMetadata?: readonly ErrorMetadataRule[];
  /** Attach the upstream's body, cut, to errors. Never where credentials travel. */
  readonly rawErrorBody: boolean;
  /** Redirects of GET and HEAD are followed where the upstream's options allow it. */
  readonly redirects: boolean;
  /** Statuses outside 200 to 299 that are a response and not an error, e.g. 304. */
  readonly success: readonly number[];
  readonly responseEncoding: ResponseEncoding;
  /** The method's own deadline in milliseconds. */
  readonly timeoutMs?: number;
  /** OAuth scopes that the caller needs. */
  readonly scopes: readonly string[];
  /** Limits of the upstream that are known beforehand. */
  readonly rateLimits?: readonly RateLimitRule[];
  /**
   * May be sent again after it may have been executed: by `idempotent`, `idempotency_level`, the verb,
   * or a key.
   */
  readonly idempotent: boolean;
  /** A response may mean that the work is only accepted. */
  readonly operation?: OperationRule;
  /** The header, in lower case, that takes a key of the call's own, by which requests may be sent again. */
  readonly idempotencyKey?: string;
  /**
   * Request fields, dotted, that carry credentials of the caller's own: if one is set, a 401 is about these.
   */
  readonly credentialFields?: readonly string[];
}
