import type { DescMethod } from "@bufbuild/protobuf";
import type { Clock } from "connect-rest-codec/internal";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { BreakerReport, OriginLoad, Permit, RequestOrigin } from "../breaker/breaker.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { RequestTrace } from "../explain/call-trace.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import type { Retrier } from "../retry/retrier.ts";
import type { Secret } from "../text/secret.ts";
import type { Hop } from "./hop.ts";
import type { Network } from "./hop-pools.ts";
import type { UpstreamSettings } from "./options.ts";
import type { BodyStream } from "./outgoing.ts";
import type { SuppliedClient } from "./supplied-client.ts";

/** The number of bytes that are read from an error body. The text of an error is at the beginning. */
export const MAX_ERROR_BYTES = 256 * 1024;

/** A call to an upstream. */
export interface UpstreamCall {
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  /** A body that is streamed in chunks, in addition to the content of the request. */
  readonly stream?: BodyStream | undefined;
  /** The headers of the RPC, for a function that provides credentials. */
  readonly header: () => Headers;
  readonly signal: AbortSignal;
  /** The time of the deadline, on the clock's monotonic scale. Undefined if there is no deadline. */
  readonly expiresAt?: number | undefined;
  /**
   * The longest pause while a body is read in pieces, in milliseconds. Default: the limit of the upstream.
   */
  readonly bodyTimeoutMs?: number | undefined;
  /** The target of a redirect, which replaces the address of the request. */
  readonly hop?: Hop | undefined;
  /** The number of times that the credentials of the call were replaced after a rejection. */
  readonly refreshes?: number | undefined;
  /** Credentials that replace rejected credentials. */
  readonly credentials?: Credentials | undefined;
  /** Credentials that replace the result of the credentials function. */
  readonly provided?: Credentials | undefined;
  /** Called with the secrets in the credentials, before the request is sent. */
  readonly onSecrets?: ((secrets: readonly Secret[]) => void) | undefined;
  /** Called when the request is sent. */
  readonly onSent?: (() => void) | undefined;
  /** Whether the request is a retry. Default: false. */
  readonly isRetry?: boolean | undefined;
  /** Observes the requests of an explained call. */
  readonly trace?: RequestTrace | undefined;
  /**
   * The caller. Callers take turns when their large responses are decoded. Default: all requests have the
   * same caller.
   */
  readonly caller?: string | undefined;
}

/** A response of an upstream with any status, decompressed. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
  /** Whether the body is incomplete. Only possible with an error status. */
  readonly truncated: boolean;
  /** Whether the call used configured credentials, not the caller's own. */
  readonly configuredCredentials: boolean;
  /** The secrets in the credentials that were sent. */
  readonly secrets: readonly Secret[];
  /**
   * Reports that the upstream rejected the token in the credentials; see `Credentials`. Absent if no token
   * was sent.
   */
  readonly rejected?: Credentials["rejected"];
}

/** A response of an upstream. If its status means success, its body has not been read. */
export interface OpenResponse extends UpstreamResponse {
  /**
   * The decompressed body, which can be read once. Undefined if the status is an error; `body` then contains
   * the beginning of the body. A read throws ConnectErrors, or the reason of the signal.
   */
  readonly chunks: AsyncIterable<Uint8Array> | undefined;
}

/** Receives the result of a request. Exactly one of the functions is called. */
export interface ResponseEnd {
  responded(response: UpstreamResponse): void;
  /** @param error the error with which `call` would reject */
  failed(error: unknown): void;
}

/** A request in progress. */
export interface StartedRequest {
  /** Aborts the request, which then fails with the reason. */
  abort(reason: unknown): void;
}

/** The identity on whose behalf requests are sent. */
export interface UpstreamIdentity {
  readonly name: string;
  /** Whether the request has no credentials, so that its response is the same for everybody. */
  readonly isPublic: boolean;
  /** The credentials from a function, if they determine the identity. */
  readonly provided?: Credentials | undefined;
}

/** A configured upstream, with its connections. */
export interface Upstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  /**
   * Decides whether to retry; the code that uses `call` makes the retries. Undefined if requests are never
   * retried.
   */
  readonly retrier: Retrier | undefined;
  /**
   * Asks for permission to send a request to a base address. Returns a promise if the request has to wait for
   * its turn.
   *
   * @throws ConnectError UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN, with a google.rpc.RetryInfo
   */
  admit(base: string, from?: RequestOrigin): Permit | Promise<Permit>;
  /**
   * Returns the identity whose credentials a request would send: the configuration, an owner that the
   * credentials function names, or a hash of the credentials, keyed with a secret of this process.
   *
   * @throws ConnectError UNAUTHENTICATED, reason UPSTREAM_CREDENTIALS_MISSING, and the errors of the function
   */
  identity(call: Pick<UpstreamCall, "method" | "rules" | "header" | "signal">): Promise<UpstreamIdentity>;
  /**
   * Sends a request with credentials, and reads the response. Redirects are returned like other responses;
   * see `redirected`.
   *
   * @throws ConnectError if there is no response; the reason of the signal if it is aborted
   */
  call(call: UpstreamCall): Promise<UpstreamResponse>;
  /**
   * Reports whether `start` can send a request. This is the case if the request need not wait for anything,
   * such as credentials or a rate limit, and if its response cannot be a redirect to follow.
   */
  startsAtOnce(rules: MethodRules): boolean;
  /**
   * Like `call`, but without a promise. Throws errors before the request is sent, and later reports the
   * result to `end`. Exceptions of `end` are ignored.
   */
  start(call: UpstreamCall, end: ResponseEnd): StartedRequest;
  /** Like `call`, but does not read the body of a successful response. The caller reads it on demand. */
  open(call: UpstreamCall): Promise<OpenResponse>;
  /**
   * Returns the call that follows the redirect in a response. Returns undefined if the response is not a
   * redirect, or if the rules of the method or the options do not allow following it.
   *
   * @throws ConnectError reason REDIRECT_REFUSED
   */
  redirected(call: UpstreamCall, response: UpstreamResponse): UpstreamCall | undefined;
  /**
   * Returns the call with new credentials if a response (401) rejected its credentials, or undefined if there
   * are none.
   */
  refreshed(call: UpstreamCall, response: UpstreamResponse): Promise<UpstreamCall | undefined>;
  /**
   * The number of running and waiting requests at each origin of the base addresses. Empty if `breaker` is
   * false.
   */
  readonly loads: readonly OriginLoad[];
  /** Aborted by `close`. */
  readonly closing: AbortSignal;
  /**
   * Waits for running calls, then closes all connections. Calls that begin later fail with reason
   * UPSTREAM_CLOSED.
   */
  close(): Promise<void>;
}

/** The dependencies that all upstreams share. */
export interface UpstreamContext {
  readonly clock: Clock;
  /** Called for every state change of a circuit breaker. The callback must not throw. */
  readonly onBreaker: (report: BreakerReport) => void;
  /** For tests. Default: the system's network. */
  readonly network?: Network | undefined;
  /** The client of upstreams that do not set their own client. Default: the runtime's own connections. */
  readonly client?: SuppliedClient | undefined;
}

/** Reports whether a status means success for the method. */
export function isSuccess(status: number, rules: MethodRules): boolean {
  return (status >= 200 && status <= 299) || rules.success.includes(status);
}
