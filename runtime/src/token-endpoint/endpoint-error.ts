import type { Clock } from "connect-rest-codec/internal";

interface EndpointFacts {
  /** The error code of OAuth (RFC 6749 section 5.2), if there is one. */
  readonly code?: string | undefined;
  /** The HTTP status; undefined where there was no response. */
  readonly status?: number | undefined;
  /** The header `Retry-After`, where there is one. */
  readonly retryAfter?: string | undefined;
}

/** An endpoint of an authorization server that did not give what was asked for. */
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

  /** Whether the same request will be rejected again, however often it is sent. */
  get isFinal(): boolean {
    return this.code !== undefined && FINAL.has(this.code);
  }
}

/**
 * RFC 6749 section 5.2, RFC 8707 section 2. Of others, such as `temporarily_unavailable`, nothing is known.
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

/** How long an endpoint may take to respond, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** The time that a request to an endpoint has, until a signal ends it. */
export function endpointTime(clock: Clock, signal: AbortSignal | undefined) {
  const late = () => new EndpointError(`no response within ${TIMEOUT_MS / 1000} s`);
  return { ms: TIMEOUT_MS, clock, signal, late };
}
