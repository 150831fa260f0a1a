import type { HandlerContext } from "@connectrpc/connect";
import type { CallContext } from "./call-context.ts";

type HeadersInit = ConstructorParameters<typeof Headers>[0];

/** The options of one call. */
export interface CallOptions {
  /** Aborts the call and its request to the upstream. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The headers of the RPC, or a function that returns them. A credentials function receives these headers.
   */
  readonly header?: HeadersInit | (() => Headers);
  /**
   * The caller's deadline in milliseconds. A shorter deadline of the method, or otherwise of the options,
   * takes precedence. Default: no deadline of the caller.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The latest time at which `signal` will be aborted, on the scale of `performance.now()`. The owner of the
   * signal enforces this deadline by aborting the signal with a ConnectError as the reason, so the call
   * starts no timer. Requires `signal`. Default: `timeoutMs` applies.
   */
  readonly expiresAt?: number | undefined;
  /**
   * Registers a cancellation listener. Meant for a server that enforces the deadlines of many calls; requires
   * `expiresAt`, `hasCallerDeadline`, and a function as `header`. The listener must be called with the abort
   * reason when `signal` would be aborted, or immediately if it already was. `undefined` removes the
   * listener. `signal` may then be a getter, which is rarely read. Default: the call listens to `signal`.
   */
  readonly onCancel?: CallContext["onCancel"];
  /**
   * Whether the caller set a deadline. If not, the upstream's `retry.maxTotalDelayMs` limits the waits before
   * retries. Default: whether `timeoutMs` or `expiresAt` is set.
   */
  readonly hasCallerDeadline?: boolean | undefined;
}

/** The options of an explained call. */
export interface ExplainOptions
  extends Pick<CallOptions, "signal" | "header" | "timeoutMs" | "hasCallerDeadline"> {
  /** Whether requests are sent. Default: false, which means a dry run. */
  readonly send?: boolean | undefined;
}

/** The options of one streaming call. */
export type StreamCallOptions = CallContext;

/** The options for the handlers of a Connect router. */
export interface RouteOptions {
  /**
   * Whether responses to protobuf clients are sent without decoding them. Interceptors then see empty
   * messages. This saves about half of the cost of such a response. Default: false.
   */
  readonly carryBytes?: boolean;
  /**
   * Reports whether the caller set a deadline; see CallOptions. Default: whether the request has a timeout.
   */
  readonly hasCallerDeadline?: ((handler: HandlerContext) => boolean) | undefined;
}
