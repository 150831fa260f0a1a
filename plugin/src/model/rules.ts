/**
 * The rules of a method merged with the rules of its service, in the form in which they are printed:
 * `MethodRules` of the runtime. The generator shares no code with the runtime, but the type checker compares
 * the generated files with it.
 */
export interface Rules extends SharedRules {
  readonly success: readonly number[];
  readonly responseEncoding: string;
  readonly timeoutMs?: number;
  readonly scopes: readonly string[];
  readonly idempotent: boolean;
  /** The lower-case name of the header with a key that is unique to the call; undefined for no header. */
  readonly idempotencyKey?: string;
  readonly rateLimits?: readonly RateLimit[];
  /** Dotted names of request fields with credentials of the caller. */
  readonly credentialFields?: readonly string[];
  /** The JSON type of a payload that selects an alternative of the envelope. */
  readonly payloadType?: "array" | "object";
  /** The rule for long-running operations, in the form of the runtime's `OperationRule`. */
  readonly operation?: OperationModel;
  /** Constant parameters, printed into the request function. */
  readonly parameters: readonly ConstantParameter[];
}

/** How the adapter waits for a long-running operation. */
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
  /** The value as a string. */
  readonly value: string;
  /** The value in a JSON body, as JSON. */
  readonly json: string;
  /**
   * Whether the parameter is sent in the query even if the request has a body of fields, where the parameter
   * would otherwise be sent.
   */
  readonly inQuery: boolean;
}

/** The rules that are printed into functions. The runtime does not apply them. */
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

/** The rules that a service may set for all of its methods. */
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
  /** The keys of an error body that callers receive; undefined for no keys. */
  readonly errorMetadata?: readonly ErrorMetadataRule[];
  readonly rawErrorBody: boolean;
  readonly redirects: boolean;
  /** Constant request headers, printed into the request function. */
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  /** The notation of names and 64-bit integers in requests. */
  readonly json: JsonStyle;
  /** Whether a slash in a path variable of one segment is rejected, not escaped. */
  readonly rejectSlash: boolean;
  /** Whether names of values inside messages, maps and lists use brackets, not dots. */
  readonly brackets: boolean;
  /** Whether bytes in a query use the URL-safe alphabet without padding. */
  readonly urlSafeQuery: boolean;
  /** Whether bytes in a path use the URL-safe alphabet without padding. */
  readonly urlSafePath: boolean;
  /** Whether control characters in path variables are percent-encoded, not rejected. */
  readonly controlsInPath: boolean;
}

export interface JsonStyle {
  readonly names: "lowerCamel" | "asDeclared";
  readonly integers: "strings" | "numbers";
  /** Whether required fields are written with their zero value. */
  readonly required: "sent" | "omitted";
}

/** A condition on a JSON object, in the form of the runtime's `Condition`. */
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

/** A condition on a request field, in the form of the runtime's `RequestCondition`. */
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
