import type { DescMethod } from "@bufbuild/protobuf";
import type { Clock } from "connect-rest-codec/internal";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { BreakerReport, OriginLoad, Permit, RequestOrigin } from "../breaker/breaker.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { ResponseHeaders } from "../http/exchange.ts";
import type { Retrier } from "../retry/retrier.ts";
import type { Secret } from "../text/secret.ts";
import type { Hop } from "./hop.ts";
import type { Network } from "./hop-pools.ts";
import type { UpstreamSettings } from "./options.ts";
import type { BodyStream } from "./outgoing.ts";
import type { SuppliedClient } from "./supplied-client.ts";

/** How much of an error's body is read, in bytes: its text is at the beginning. */
export const MAX_ERROR_BYTES = 256 * 1024;

/** One call of an upstream. */
export interface UpstreamCall {
  readonly method: DescMethod;
  readonly rules: MethodRules;
  readonly request: RestRequest;
  /** A body that comes in chunks, beside what the request has. */
  readonly stream?: BodyStream | undefined;
  /** The headers of the RPC, for a function that provides credentials. */
  readonly header: () => Headers;
  readonly signal: AbortSignal;
  /** When the deadline passes, on the clock's monotonic scale; undefined for none. */
  readonly expiresAt?: number | undefined;
  /** How long a body that is read in pieces may pause. Default: the upstream's limit. */
  readonly bodyTimeoutMs?: number | undefined;
  /** The address of a redirect, in place of the request's own. */
  readonly hop?: Hop | undefined;
  /** How often the credentials of the call have been replaced because they were rejected. */
  readonly refreshes?: number | undefined;
  /** In place of those that were rejected before. */
  readonly credentials?: Credentials | undefined;
  /** In place of those that a function would provide now. */
  readonly provided?: Credentials | undefined;
  /** Is given what is sent as credentials, before the request goes out. */
  readonly onSecrets?: ((secrets: readonly Secret[]) => void) | undefined;
  /** Is called when the request goes out. */
  readonly onSent?: (() => void) | undefined;
  /** Whether the same request was sent before. Default: it was not. */
  readonly isRetry?: boolean | undefined;
  /** Whom the request is made for: large responses are decoded in turns. Default: all are for the same. */
  readonly caller?: string | undefined;
}

/** What an upstream responded, whatever its status; decompressed. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
  /** The body is not whole. Only with a status that is an error. */
  readonly truncated: boolean;
  /** The call carried credentials of the configuration, not the caller's own. */
  readonly configuredCredentials: boolean;
  /** What was sent as credentials. */
  readonly secrets: readonly Secret[];
  /** Says that the token in the credentials was rejected; see `Credentials`. Absent where none was sent. */
  readonly rejected?: Credentials["rejected"];
}

/** What an upstream responded, its body still to come where its status means success. */
export interface OpenResponse extends UpstreamResponse {
  /**
   * The body, decompressed, to be read once. undefined where the status is an error: then `body` has its
   * beginning. It throws ConnectErrors, or the signal's reason.
   */
  readonly chunks: AsyncIterable<Uint8Array> | undefined;
}

/** Is told how a request ended, by one of both. */
export interface ResponseEnd {
  responded(response: UpstreamResponse): void;
  /** @param error what `call` would reject with */
  failed(error: unknown): void;
}

/** A request on its way. */
export interface StartedRequest {
  /** Ends it; it fails with the reason. */
  abort(reason: unknown): void;
}

/** Who asks an upstream. */
export interface UpstreamIdentity {
  readonly name: string;
  /** Anybody: the request carries no credentials. */
  readonly isPublic: boolean;
  /** What a function has provided, by which it is known. */
  readonly provided?: Credentials | undefined;
}

/** A configured upstream, with its connections. */
export interface Upstream {
  readonly name: string;
  readonly settings: UpstreamSettings;
  /** Decides whether requests are sent again, which is up to the caller; undefined where they never are. */
  readonly retrier: Retrier | undefined;
  /**
   * Asks whether a request to a base address may be made; a promise where it has to wait for its turn.
   *
   * @throws ConnectError UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN, with a google.rpc.RetryInfo
   */
  admit(base: string, from?: RequestOrigin): Permit | Promise<Permit>;
  /**
   * Whose credentials a request would carry: the configured ones, an owner whom the function that provides
   * them names, or else a keyed hash of them, whose key is this process's own.
   *
   * @throws ConnectError UNAUTHENTICATED, reason UPSTREAM_CREDENTIALS_MISSING, and what the function throws
   */
  identity(call: Pick<UpstreamCall, "method" | "rules" | "header" | "signal">): Promise<UpstreamIdentity>;
  /**
   * Sends a request with credentials and reads the response. Redirects are responses like others;
   * see `redirected`.
   *
   * @throws ConnectError when there is no response; rejects with the signal's reason when that is aborted
   */
  call(call: UpstreamCall): Promise<UpstreamResponse>;
  /**
   * Whether `start` can send a request: nothing has to be waited for before it, such as credentials or a rate
   * limit, and its response is the last, not a redirect.
   */
  startsAtOnce(rules: MethodRules): boolean;
  /**
   * Like `call`, but without a promise: throws what goes wrong before the request is sent, and later tells
   * `end` how it ended. What `end` throws is lost.
   */
  start(call: UpstreamCall, end: ResponseEnd): StartedRequest;
  /** Like `call`, but a response that means success is not read: its body comes as it is asked for. */
  open(call: UpstreamCall): Promise<OpenResponse>;
  /**
   * The call that follows the redirect in a response. undefined where there is none, or where the rules of
   * the method or the options do not allow it.
   *
   * @throws ConnectError reason REDIRECT_REFUSED
   */
  redirected(call: UpstreamCall, response: UpstreamResponse): UpstreamCall | undefined;
  /**
   * The call with the credentials that take the place of those that a response rejects (401);
   * once for a call.
   */
  refreshed(call: UpstreamCall, response: UpstreamResponse): Promise<UpstreamCall | undefined>;
  /** The requests of callers at each origin of its base addresses; none where `breaker` is false. */
  readonly loads: readonly OriginLoad[];
  /** Aborted by `close`. */
  readonly closing: AbortSignal;
  /** Waits for running calls, then closes all connections. Further calls fail with UPSTREAM_CLOSED. */
  close(): Promise<void>;
}

/** What upstreams share. */
export interface UpstreamContext {
  readonly clock: Clock;
  /** Is told of every change of a breaker. It must not throw. */
  readonly onBreaker: (report: BreakerReport) => void;
  /** For tests. Default: that of the system. */
  readonly network?: Network | undefined;
  /** For upstreams that have none of their own. Default: our own connections. */
  readonly client?: SuppliedClient | undefined;
}

/** Whether a status is a response of the method, and not an error. */
export function isSuccess(status: number, rules: MethodRules): boolean {
  return (status >= 200 && status <= 299) || rules.success.includes(status);
}
