/**
 * The rules of a method, the service's merged in, as they are printed: the shape is that of `MethodRules` in the
 * runtime. The generator shares no code with the runtime; generated files are type-checked against it.
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
  /** What the payload must be for an alternative of the envelope to be the one. */
  readonly payloadType?: "array" | "object";
  /** Constant parameters, printed into the request function. */
  readonly parameters: readonly ConstantParameter[];
}

/** A parameter with a constant value. */
export interface ConstantParameter {
  readonly name: string;
  /** As text. */
  readonly value: string;
  /** The value in a body of JSON, as JSON. */
  readonly json: string;
}

/** Rules that are printed into functions, and not for the runtime to act on. */
export const PRINTED_RULES = [
  "headers",
  "json",
  "parameters",
  "refuseSlash",
  "brackets",
  "urlSafeQuery",
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
  };
  readonly errorShapes: ReadonlyArray<Readonly<Record<string, string>>>;
  readonly errors: readonly ErrorRule[];
  readonly retryAfter: readonly RetryAfterRule[];
  readonly rawErrorBody: boolean;
  /** Constant request headers, printed into the request function. */
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  /** How names and 64-bit integers are written in requests. */
  readonly json: JsonStyle;
  /** A slash in a path variable of one segment is refused, not escaped. */
  readonly refuseSlash: boolean;
  /** Values below messages, maps and lists are named by brackets, not by dots. */
  readonly brackets: boolean;
  /** Bytes in a query use the URL-safe alphabet without padding. */
  readonly urlSafeQuery: boolean;
}

export interface JsonStyle {
  readonly names: "lowerCamel" | "asDeclared";
  readonly integers: "strings" | "numbers";
}

/** A condition on a JSON object, in the shape of the runtime's `Condition`. */
export type ConditionModel = {
  readonly key: string;
  readonly values?: readonly string[];
  readonly present?: boolean;
  readonly type?: string;
};

export type ErrorRule = {
  readonly status: number;
  readonly subcode?: number | string;
  readonly header?: { readonly name: string; readonly value?: string };
  readonly body?: ConditionModel;
  readonly code?: number;
  readonly reason?: string;
};

export type RetryAfterRule = {
  readonly header: string;
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
