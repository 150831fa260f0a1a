import type { Clock } from "connect-rest-codec/internal";

interface EndpointFacts {
  /** The OAuth error code (RFC 6749 section 5.2), if the response has one. */
  readonly code?: string | undefined;
  /** The HTTP status. Undefined if there was no response. */
  readonly status?: number | undefined;
  /** The `Retry-After` header, if the response has one. */
  readonly retryAfter?: string | undefined;
}

/** The error for a failed request to an endpoint of an authorization server. */
export class EndpointError extends Error implements EndpointFacts {
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;

  constructor(
    problem: string,
    { code, status, retryAfter, cause }: EndpointFacts & { readonly cause?: unknown } = {},
  ) {
    super(problem, { cause });
    this.name = "EndpointError";
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** Whether the endpoint will always reject this request. */
  get isFinal(): boolean {
    return this.code !== undefined && FINAL.has(this.code);
  }
}

/**
 * The codes of permanent errors (RFC 6749 section 5.2, RFC 8707 section 2). Errors with other codes, such as
 * `temporarily_unavailable`, may be temporary.
 */
const FINAL: ReadonlySet<string> = new Set([
  "invalid_client",
  "invalid_grant",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** The time limit for an endpoint's response, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** Returns the signal that ends a request to an endpoint: at the time limit, or when `signal` is aborted. */
export function endpointTime(clock: Clock, signal: AbortSignal | undefined) {
  const late = () => new EndpointError(`no response within ${TIMEOUT_MS / 1000} s`);
  return { ms: TIMEOUT_MS, clock, signal, late };
}
