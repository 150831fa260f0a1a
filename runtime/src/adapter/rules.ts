import type { DescMessage } from "@bufbuild/protobuf";
import type { Condition } from "connect-rest-codec/internal";

/**
 * The rules of the annotation language that the runtime applies, as plain data. The generator merges the
 * rules of every method with the rules of the service, and omits rules that equal `DEFAULT_RULES`. Loading an
 * adapter adds the omitted rules. Nothing is parsed at run time.
 */

/** The kinds of credentials that a method accepts, in order of preference. */
export type CredentialKind = "none" | "api_key" | "oauth1_client" | "oauth1" | "oauth2" | "basic";

/** Where an API key is sent: in a query parameter, or in a header with an optional prefix such as `Key `. */
export interface ApiKeyRule {
  readonly query?: string;
  readonly header?: string;
  readonly prefix?: string;
}

/**
 * The wrapper around every payload of an upstream, as dotted paths from the root of the body, e.g.
 * `meta.status`. `payload` lists alternatives, of which the first that exists is the payload. `""` is the
 * root.
 */
export interface EnvelopeRule {
  readonly payload: readonly string[];
  readonly status?: string;
  readonly message?: string;
  readonly errors?: string;
  /**
   * The ways in which the upstream represents an empty payload. Undefined for the default: `null`, `[]` and
   * `{}`.
   */
  readonly empty?: readonly EmptySpelling[];
  /** The paths to keys that are expected although no rule reads them. */
  readonly known?: readonly string[];
}

/** A representation of an empty value: `absent` is a missing key, `empty_body` is a missing body. */
export type EmptySpelling =
  | "absent"
  | "null"
  | "false"
  | "empty_array"
  | "empty_object"
  | "empty_string"
  | "empty_body";

/** The format of an upstream's error bodies. A dotted `path` starts at the root of the body. */
export type ErrorShape =
  /** An array of objects, or one object, with keys for title, code and detail. */
  | {
      readonly kind: "items";
      readonly path: string;
      readonly title: string;
      readonly code: string;
      readonly detail: string;
      /**
       * The dotted path in an object to the name of the invalid request field. Undefined if objects do not
       * name fields.
       */
      readonly field?: string;
    }
  /**
   * An array of objects whose keys are titles and whose values are details: `[{"Some title": "Some
   * detail"}]`.
   */
  | { readonly kind: "title_map"; readonly path: string }
  /** An object whose keys are request fields, and whose values are strings or lists of strings. */
  | { readonly kind: "field_map"; readonly path: string }
  /** A plain string. */
  | { readonly kind: "text"; readonly path: string }
  /** An error response of RFC 6749 section 5.2: `error` and `error_description`. */
  | { readonly kind: "oauth" }
  /** A google.rpc.Status as JSON, at the root or below `error`. The runtime decodes its details. */
  | { readonly kind: "rpc_status" };

/**
 * Maps an HTTP status, with an optional subcode or a condition on a header or the body, to an RPC code and a
 * reason.
 */
export interface ErrorRule {
  /** The HTTP status; undefined, or 0, means any. */
  readonly status?: number;
  /** The upstream's error code in the body, a number or a word. Undefined means any. */
  readonly subcode?: number | string;
  /** A response header that must be present. If `value` is given, the header must equal it, ignoring case. */
  readonly header?: { readonly name: string; readonly value?: string };
  /** A condition on the body, or on a record of a stream. */
  readonly body?: Condition;
  /** The RPC code, as a number of google.rpc.Code. Undefined means the default of the status. */
  readonly code?: number;
  /** `ErrorInfo.reason`, UPPER_SNAKE_CASE; undefined means the default of the status. */
  readonly reason?: string;
}

/** A response header, or a key of an error body, that states when to retry. */
export interface RetryAfterRule {
  /** The name of the header; undefined if `path` is set. */
  readonly header?: string;
  /** The dotted path from the root of the body. */
  readonly path?: string;
  /**
   * `seconds` or `millis` from now (a fraction is allowed), `epoch` seconds,
   * or an `http_date` (RFC 9110 section 5.6.7).
   */
  readonly format: "seconds" | "millis" | "epoch" | "http_date";
  /** Limits the rule to responses in which this header has this value, e.g. a remaining count of `0`. */
  readonly when?: { readonly name: string; readonly value: string };
}

/** A key in an error body that callers receive in `ErrorInfo.metadata`. */
export interface ErrorMetadataRule {
  /** The key in the metadata. */
  readonly key: string;
  /** The dotted path from the root of the body. */
  readonly path: string;
}

/** The format of a response body; `by_content_type` is JSON, a form or bytes. */
export type ResponseEncoding = "json" | "form" | "bytes" | "empty" | "by_content_type" | "json_or_form";

/**
 * A known limit of the upstream. Every request counts, including page requests, polls and failed requests.
 */
export interface RateLimitRule {
  /** The number of requests that a window allows. */
  readonly requests: number;
  /** The length of a sliding window in milliseconds. Not used with `calendarDay`. */
  readonly windowMs: number;
  /** The time zone whose calendar days are the windows, e.g. `UTC`. */
  readonly calendarDay?: string;
  /**
   * Methods of an upstream that name the same bucket share its limit. `""` is a separate bucket for this
   * method.
   */
  readonly bucket: string;
  /** Whether each set of credentials has a separate bucket. */
  readonly perCredentials: boolean;
  /** Only requests that meet this condition count. */
  readonly when?: RequestCondition;
}

/** A condition on a field of the request message. */
export interface RequestCondition {
  /** The name of the field in the .proto file. Dots lead to nested fields. */
  readonly field: string;
  /**
   * The values that meet the condition: scalars as strings, or names of enum values. One item of a list is
   * enough.
   */
  readonly values?: readonly string[];
  readonly present?: boolean;
}

/** The rule for waiting until an accepted operation completes. Paths are dotted and start at the payload. */
export interface OperationRule {
  /**
   * Where the operation's status is found: at a link in a header or in the payload, or at a path that
   * contains the value of a payload key.
   */
  readonly status:
    | { readonly kind: "header"; readonly header: string }
    | { readonly kind: "link"; readonly path: string }
    | { readonly kind: "path"; readonly before: string; readonly key: string; readonly after: string };
  readonly done?: Condition;
  readonly failed?: Condition;
  readonly result?: string;
  readonly resultLink?: string;
  /** The first delay, in milliseconds. Default: 1000. */
  readonly intervalMs?: number;
  /** Default: 1000. */
  readonly maxPolls?: number;
}

/** The properties of a method that do not depend on the request. */
export interface MethodRules {
  /** The request message, whose fields errors name. */
  readonly input?: DescMessage | undefined;
  /** The name of the upstream in the configuration. */
  readonly upstream: string;
  /** The name of the upstream's base address. `""` is the default base address. */
  readonly base: string;
  readonly credentials: readonly CredentialKind[];
  readonly apiKey?: ApiKeyRule;
  readonly envelope?: EnvelopeRule | undefined;
  /**
   * The type of the payload. If several alternatives of the envelope exist, the first one with this type is
   * used.
   */
  readonly payloadType?: "array" | "object";
  readonly errorShapes: readonly ErrorShape[];
  readonly errors: readonly ErrorRule[];
  readonly retryAfter: readonly RetryAfterRule[];
  readonly errorMetadata?: readonly ErrorMetadataRule[];
  /**
   * Whether errors contain the upstream's body, truncated. Never set for methods that exchange credentials.
   */
  readonly rawErrorBody: boolean;
  /** Whether redirects of GET and HEAD are followed if the options of the upstream allow it. */
  readonly redirects: boolean;
  /** Statuses outside 200 to 299 that mean success, e.g. 304. */
  readonly success: readonly number[];
  readonly responseEncoding: ResponseEncoding;
  /** The deadline of the method in milliseconds. */
  readonly timeoutMs?: number;
  /** The OAuth scopes that the caller needs. */
  readonly scopes: readonly string[];
  /** Known limits of the upstream. */
  readonly rateLimits?: readonly RateLimitRule[];
  /**
   * Whether a request that may have been executed may be retried. Determined by `idempotent`,
   * `idempotency_level`, the HTTP method, or an idempotency key.
   */
  readonly idempotent: boolean;
  /** Set if the response may mean that the operation was only accepted. */
  readonly operation?: OperationRule;
  /** The header, in lower case, for the idempotency key of the call, which makes retries safe. */
  readonly idempotencyKey?: string;
  /**
   * Dotted request fields that contain the caller's own credentials. If one of them is set, a 401 concerns
   * these credentials.
   */
  readonly credentialFields?: readonly string[];
}
