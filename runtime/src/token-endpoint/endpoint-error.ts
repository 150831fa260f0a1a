import type { Clock } from "connect-rest-codec/internal";

interface EndpointFacts {
  /** The OAuth error code (RFC 6749 section 5.2), if there is one. */
  readonly code?: string | undefined;
  /** The HTTP status; undefined if there was no response. */
  readonly status?: number | undefined;
  /** The `Retry-After` header, if there is one. */
  readonly retryAfter?: string | undefined;
}

/** A failed request to an endpoint of an authorization server. */
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
 * RFC 6749 section 5.2, RFC 8707 section 2. Other codes, such as `temporarily_unavailable`, may be temporary.
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

/** Returns the time limit of a request to an endpoint, which a signal may end earlier. */
export function endpointTime(clock: Clock, signal: AbortSignal | undefined) {
  const late = () => new EndpointError(`no response within ${TIMEOUT_MS / 1000} s`);
  return { ms: TIMEOUT_MS, clock, signal, late };
}
