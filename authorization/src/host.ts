import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Code, ConnectError } from "@connectrpc/connect";

/** What authorization needs of the server that it is part of. */
export interface AuthorizationHost {
  /** Read whenever they count, so that they may change. */
  readonly limits: AuthorizationLimits;
  readonly log: AuthorizationLog;
  readonly metrics: AuthorizationMetrics;
  /** Makes the errors of calls. */
  readonly error: MakeError;
  /** Notified of each request that a limit keeps out. */
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

/** Writes lines with fields. Never a secret is among them. */
export interface AuthorizationLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

/**
 * Counts what happens. All values are of a few: names of the configuration,
 * and outcomes that are written in this package.
 */
export interface AuthorizationMetrics extends SignInMetrics {
  /** A request to an endpoint: `ok`, or the error of the response. */
  authorized(endpoint: string, outcome: string): void;
  /** A request for a token, with the grant type as the client wrote it. */
  tokenGranted(grant: string, outcome: string): void;
  /** A code or a refresh token was used again. */
  tokenReused(kind: "code" | "refresh_token"): void;
  /** The token of a call was checked. */
  tokenChecked(outcome: string): void;
}

/** Counts sign-ins and sessions, by the names of their upstreams. */
export interface SignInMetrics {
  /** A person has come back from an upstream, or could not be sent there: `ok`, or what failed. */
  signedIn(upstream: string, outcome: string): void;
  /** Tokens of a session were to be refreshed: `ok`, or what failed. */
  sessionRefreshed(upstream: string, outcome: string): void;
  /** A session at an upstream has ended. */
  sessionEnded(upstream: string): void;
}

/** Why a call is rejected: the `google.rpc.ErrorInfo.reason` of its error. */
export type AuthorizationReason =
  | "TOKEN_MISSING"
  | "TOKEN_INVALID"
  | "TOKEN_MALFORMED"
  | "SCOPE_MISSING"
  | "PERSON_REQUIRED"
  | "STORE_UNAVAILABLE"
  | "SESSION_ENDED"
  | "SESSION_UNAVAILABLE";

/** Makes an error of a call, with its reason as a detail. */
export type MakeError = (
  reason: AuthorizationReason,
  text: string,
  code: Code,
  cause?: unknown,
) => ConnectError;

/** The head of a request, of HTTP/1.1 or HTTP/2. */
export interface HttpRequest {
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turns, as they came. */
  readonly rawHeaders: readonly string[];
}

/** A request that the host has checked and taken, and the response to it. */
export interface HttpExchange {
  readonly request: HttpRequest;
  /** What emits `data` and `end`, as the body of the request arrives. */
  readonly body: Readable;
  readonly path: string;
  /** Empty where there is none. */
  readonly query: string;
  /** The client's IP address. */
  readonly client: string;
  /** What counts as one client: an address, or a network of IPv6. */
  readonly clientKey: string;
  /** Sets a header of the response that is yet to be sent. */
  setHeader(name: string, value: string): void;
  /** Sends the whole response, unless the client is gone. Header names in lower case. */
  send(
    status: number,
    headers: Readonly<Record<string, string | string[]>>,
    body?: string | Uint8Array | undefined,
  ): void;
  /** Ends an exchange that a defect has hit, whatever was sent of its response. */
  fail(): void;
}

/** Headers of responses that no cache may keep, and no browser may take for something else. */
export const UNCACHED = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

/**
 * Headers of responses that may hold secrets: nobody keeps them, and no other server learns of their address.
 */
export const SAFE = { ...UNCACHED, "referrer-policy": "no-referrer" } as const;

/** Sends a browser elsewhere. */
export function redirect(exchange: HttpExchange, location: string): undefined {
  exchange.send(303, { location, ...SAFE });
}
