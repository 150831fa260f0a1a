/**
 * The rules of a method, the service's merged in, as they are printed: the shape is that of `MethodRules` in
 * the runtime. The generator shares no code with the runtime; generated files are type-checked against it.
 */
export interface Rules extends SharedRules {
  readonly success: readonly number[];
  readonly responseEncoding: string;
  readonly timeoutMs?: number;
  readonly scopes: readonly string[];
  readonly idempotent: boolean;
  /** The header that takes a key of the call's own, in lower case; undefined for none. */
  readonly idempotencyKey?: string;
  readonly rateLimits?: readonly RateLimit[];
  /** Request fields, dotted, that carry credentials of the caller's own. */
  readonly credentialFields?: readonly string[];
  /** What the payload must be for an alternative of the envelope to be the one. */
  readonly payloadType?: "array" | "object";
  /** How accepted work is waited for; the shape is that of the runtime's `OperationRule`. */
  readonly operation?: OperationModel;
  /** Constant parameters, printed into the request function. */
  readonly parameters: readonly ConstantParameter[];
}

/** How accepted work is waited for. */
export type OperationModel = {
  readonly status: Readonly<Record<string, string>>;
  readonly done?: ConditionModel;
  readonly failed?: ConditionModel;
  readonly result?: string;
  readonly resultLink?: string;
  readonly intervalMs?: number;
  readonly maxPolls?: number;
};

/** A parameter with a constant value. */
export interface ConstantParameter {
  readonly name: string;
  /** As text. */
  readonly value: string;
  /** The value in a body of JSON, as JSON. */
  readonly json: string;
  /** Whether it is in the query, also beside a body of fields. */
  readonly inQuery: boolean;
}

/** Rules that are printed into functions, and not for the runtime to act on. */
export const PRINTED_RULES = [
  "headers",
  "json",
  "parameters",
  "rejectSlash",
  "brackets",
  "urlSafeQuery",
  "urlSafePath",
  "controlsInPath",
] as const;

/** The rules that a service may give to all of its methods. */
export interface SharedRules {
  readonly upstream: string;
  readonly base: string;
  readonly credentials: readonly string[];
  readonly apiKey?: { readonly query?: string; readonly header?: string; readonly prefix?: string };
  readonly envelope?: {
    readonly payload: readonly string[];
    readonly status?: string;
    readonly message?: string;
    readonly errors?: string;
    readonly empty?: readonly string[];
    readonly known?: readonly string[];
  };
  readonly errorShapes: ReadonlyArray<Readonly<Record<string, string>>>;
  readonly errors: readonly ErrorRule[];
  readonly retryAfter: readonly RetryAfterRule[];
  /** Keys of an error body that callers get; undefined for none. */
  readonly errorMetadata?: readonly ErrorMetadataRule[];
  readonly rawErrorBody: boolean;
  readonly redirects: boolean;
  /** Constant request headers, printed into the request function. */
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  /** How names and 64-bit integers are written in requests. */
  readonly json: JsonStyle;
  /** A slash in a path variable of one segment is rejected, not escaped. */
  readonly rejectSlash: boolean;
  /** Values below messages, maps and lists are named by brackets, not by dots. */
  readonly brackets: boolean;
  /** Bytes in a query use the URL-safe alphabet without padding. */
  readonly urlSafeQuery: boolean;
  /** Bytes in a path use the same. */
  readonly urlSafePath: boolean;
  /** Control characters in path variables are percent-encoded, not rejected. */
  readonly controlsInPath: boolean;
}

export interface JsonStyle {
  readonly names: "lowerCamel" | "asDeclared";
  readonly integers: "strings" | "numbers";
  /** Whether required fields are written with their zero value. */
  readonly required: "sent" | "omitted";
}

/** A condition on a JSON object, in the shape of the runtime's `Condition`. */
export type ConditionModel = {
  readonly key: string;
  readonly values?: readonly string[];
  readonly present?: boolean;
  readonly type?: string;
};

export type ErrorRule = {
  /** The HTTP status; undefined means any. */
  readonly status?: number;
  readonly subcode?: number | string;
  readonly header?: { readonly name: string; readonly value?: string };
  readonly body?: ConditionModel;
  readonly code?: number;
  readonly reason?: string;
};

export type ErrorMetadataRule = {
  readonly key: string;
  readonly path: string;
};

export type RetryAfterRule = {
  readonly header?: string;
  readonly path?: string;
  readonly format: string;
  readonly when?: { readonly name: string; readonly value: string };
};

/** A condition on a field of the request, in the shape of the runtime's `RequestCondition`. */
export type RequestConditionModel = {
  /** The names of fields in the .proto file, joined by dots. */
  readonly field: string;
  readonly values?: readonly string[];
  readonly present?: boolean;
};

export type RateLimit = {
  readonly requests: number;
  readonly windowMs: number;
  readonly calendarDay?: string;
  readonly bucket: string;
  readonly perCredentials: boolean;
  readonly when?: RequestConditionModel;
};
