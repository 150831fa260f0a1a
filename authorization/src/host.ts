import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Code, ConnectError } from "@connectrpc/connect";

/** The services that the host provides to authorization. */
export interface AuthorizationHost {
  /** The limits of the endpoints. They are read at each use, because they may change. */
  readonly limits: AuthorizationLimits;
  readonly log: AuthorizationLog;
  readonly metrics: AuthorizationMetrics;
  /** Creates the error for a call. */
  readonly error: MakeError;
  /** Called for each request that a limit rejects. */
  readonly onLimit: (limit: keyof AuthorizationLimits) => void;
}

/** The limits of the endpoints. */
export interface AuthorizationLimits {
  readonly authorizationRequestsPerMinute: number;
  readonly authorizationRequestsPerClient: number;
  readonly registrationsPerMinute: number;
  readonly registrationsPerClient: number;
  readonly bodyIdleTimeoutMs: number;
}

/** Writes log lines with fields. The fields never contain secrets. */
export interface AuthorizationLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/**
 * Counts events. All label values come from small sets: configured names, and outcomes listed in this
 * package.
 */
export interface AuthorizationMetrics extends SignInMetrics {
  /** Counts a request to an endpoint. The outcome is `ok`, or the error of the response. */
  authorized(endpoint: string, outcome: string): void;
  /** Counts a request for a token, with the grant type as the client sent it. */
  tokenGranted(grant: string, outcome: string): void;
  /** Counts the reuse of a code or a refresh token. */
  tokenReused(kind: "code" | "refresh_token"): void;
  /** Counts a check of a call's token. */
  tokenChecked(outcome: string): void;
}

/** Counts sign-ins and sessions by the names of their upstreams. */
export interface SignInMetrics {
  /**
   * Counts a person's return from an upstream, or a failed attempt to send a person there. The outcome is
   * `ok`, or the failure.
   */
  signedIn(upstream: string, outcome: string): void;
  /** Counts an attempt to refresh the tokens of a session. The outcome is `ok`, or the failure. */
  sessionRefreshed(upstream: string, outcome: string): void;
  /** Counts the end of a session at an upstream. */
  sessionEnded(upstream: string): void;
}

/** The reason for rejecting a call: the `google.rpc.ErrorInfo.reason` of its error. */
export type AuthorizationReason =
  | "TOKEN_MISSING"
  | "TOKEN_INVALID"
  | "TOKEN_MALFORMED"
  | "SCOPE_MISSING"
  | "PERSON_REQUIRED"
  | "STORE_UNAVAILABLE"
  | "SESSION_ENDED"
  | "SESSION_UNAVAILABLE";

/** Creates the error for a call, with its reason as a detail. */
export type MakeError = (
  reason: AuthorizationReason,
  text: string,
  code: Code,
  cause?: unknown,
) => ConnectError;

/** The head of an HTTP/1.1 or HTTP/2 request. */
export interface HttpRequest {
  readonly method?: string | undefined;
  /** The path and the query. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The received header names and values, in alternation. */
  readonly rawHeaders: readonly string[];
}

/** A request that the host has checked and accepted, with its response. */
export interface HttpExchange {
  readonly request: HttpRequest;
  /** A stream that emits `data` and `end` as the request body arrives. */
  readonly body: Readable;
  readonly path: string;
  /** The query; an empty string if the request has no query. */
  readonly query: string;
  /** The client's IP address. */
  readonly client: string;
  /** The client for which requests are counted: an IPv4 address or an IPv6 network. */
  readonly clientKey: string;
  /** Sets a header of the response, which must not have been sent yet. */
  setHeader(name: string, value: string): void;
  /** Sends the whole response, unless the client has disconnected. Header names are in lower case. */
  send(
    status: number,
    headers: Readonly<Record<string, string | string[]>>,
    body?: string | Uint8Array | undefined,
  ): void;
  /** Ends an exchange after an internal error, even if part of the response has been sent. */
  fail(): void;
}

/** Headers of responses that no cache may store, and whose content type browsers must not guess. */
export const UNCACHED = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

/**
 * Headers of responses that may contain secrets. No cache stores such a response, and its address is not sent
 * to other servers.
 */
export const SAFE = { ...UNCACHED, "referrer-policy": "no-referrer" } as const;

/** Redirects a browser. */
export function redirect(exchange: HttpExchange, location: string): undefined {
  exchange.send(303, { location, ...SAFE });
}
