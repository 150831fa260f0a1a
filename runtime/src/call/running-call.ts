import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { type Clock, inTurns, stringifyJson, typed, type Work, withTypes } from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import { redactError } from "../errors/redact.ts";
import { redactedValues } from "../errors/redacted-fields.ts";
import { restError } from "../errors/rest-error.ts";
import { upstreamError } from "../errors/upstream-error.ts";
import type { RequestTrace } from "../explain/call-trace.ts";
import { withIdempotencyKey } from "../request/idempotency-key.ts";
import { located } from "../request/located.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { WaitAllowance } from "../retry/wait-allowance.ts";
import { fullName } from "../text/full-name.ts";
import type { Secret } from "../text/secret.ts";
import type { CallContext, CallSettings } from "./call-context.ts";
import { CallProgress } from "./call-progress.ts";
import { notify } from "./notify.ts";
import { operationStatus } from "./operation-status.ts";
import type { CallReport } from "./options.ts";
import type { Route } from "./routes.ts";
import { SentSecrets } from "./sent-secrets.ts";

/** The context of a call that may be explained. */
export interface RunningContext extends CallContext {
  /** Observes the requests of an explained call. */
  readonly trace?: RequestTrace | undefined;
}

/**
 * A running call of a method, which may send several requests to its upstream. Counts requests, bytes and
 * differences.
 */
export class RunningCall<A extends AnyMethodAdapter = AnyMethodAdapter> {
  readonly route: Route<A>;
  readonly context: RunningContext;
  readonly clock: Clock;
  /** The request message that was encoded last. */
  requested: MessageShape<DescMessage> | undefined;
  readonly sentSecrets = new SentSecrets();
  readonly settings: CallSettings;
  private readonly startedAt: number;
  /** The remaining time that the call may wait for retries. */
  readonly allowance: WaitAllowance;
  private over = false;
  /** The length in bytes of the last large response. */
  largeBytes = 0;
  readonly progress = new CallProgress();
  /** Observes the requests of an explained or recorded call. */
  readonly trace: RequestTrace | undefined;
  /** The decoder of the last response. Undefined before the first response. */
  readBy: "scanner" | "decoder" | undefined;

  constructor(route: Route<A>, context: RunningContext, settings: CallSettings) {
    this.route = route;
    this.context = context;
    this.clock = settings.clock;
    this.settings = settings;
    this.startedAt = settings.clock.monotonic();
    this.trace = context.trace ?? settings.options.recorder?.start(this);
    const { retrier } = route.upstream;
    this.allowance = new WaitAllowance(
      context.hasCallerDeadline ? Number.POSITIVE_INFINITY : (retrier?.maxTotalDelayMs ?? 0),
    );
  }

  get adapter(): A {
    return this.route.adapter;
  }

  /** The caller for whom requests are made. Undefined if there is only one caller. */
  get caller(): string | undefined {
    const { callerOf } = this.settings.options;
    if (callerOf === undefined) return undefined;
    if (this.context.feed !== undefined) return this.context.feed;
    try {
      return callerOf() ?? "";
    } catch {
      // the documentation of `callerOf` states that such callers count as one
      return "";
    }
  }

  /** The headers of the upstream's first response that the caller receives. Empty before that response. */
  get header(): Headers {
    return this.progress.header;
  }

  /** Builds the REST call for a request message. */
  request(message: MessageShape<DescMessage>): RestRequest {
    this.requested = message;
    const request = this.adapted("writing the request", () => this.requestOf(message));
    return withIdempotencyKey(request, this.adapter.rules.idempotencyKey, this.clock);
  }

  private requestOf(message: MessageShape<DescMessage>): RestRequest {
    try {
      return this.adapter.request(message);
    } catch (error) {
      throw error instanceof ConnectError ? located(error, this.adapter.method.input, message) : error;
    }
  }

  /**
   * Calls a function of the adapter. An exception that is not a ConnectError is reported as an error of the
   * adapter.
   */
  adapted<T>(step: string, act: () => T): T {
    try {
      return withTypes(this.settings.types, act);
    } catch (cause) {
      if (cause instanceof ConnectError) throw cause;
      throw this.failed(step, cause);
    }
  }

  /**
   * Does work across several event-loop turns, until the call ends. `bytes` defaults to the length of the
   * last large response.
   */
  inTurns<T>(work: Work<T>, bytes: number = this.largeBytes): Promise<T> {
    const { clock } = this;
    return inTurns(typed(work, this.settings.types), { signal: this.context.signal, clock, bytes });
  }

  /** Returns the error in a response with a success status. */
  failure({ status, header, body }: ReadResponse): ConnectError {
    const json = operationStatus(body.value);
    const bytes = Buffer.from(json === undefined ? "" : stringifyJson(json));
    const response = {
      status,
      header,
      json,
      body: bytes,
      truncated: false,
      configuredCredentials: false,
      secrets: [],
    };
    return this.knowing(() => upstreamError(response, this.adapter.rules, this.clock.now()));
  }

  /** Returns the error that callers receive for an exception in the call. */
  errorOf(thrown: unknown): ConnectError {
    const error = thrown instanceof ConnectError ? thrown : this.failed("calling the upstream", thrown);
    return this.knowing(() => redactError(error, this.secrets()));
  }

  /** Reports that the call ended, and its error if it failed. Only the first end of a call counts. */
  ended(error: ConnectError | undefined): void {
    if (this.over) return;
    this.over = true;
    const { method, rules } = this.adapter;
    const report: CallReport = {
      ...this.progress.counts,
      method,
      upstream: rules.upstream,
      durationMs: this.clock.monotonic() - this.startedAt,
      error,
    };
    notify("onCall", this.settings.options.onCall, report);
  }

  /**
   * Returns the values that must not be disclosed: the credentials that were sent, and the redacted fields of
   * the request.
   */
  secrets(): Secret[] {
    const { requested } = this;
    const values = requested && this.knowing(() => redactedValues(this.adapter.method.input, requested));
    return [...this.sentSecrets.newest(), ...(values ?? [])];
  }

  /** The maximum cost of parsing a response. */
  get maxCost(): number {
    return this.route.upstream.settings.maxResponseCost;
  }

  /** Runs code that uses the call's message types. */
  knowing<T>(act: () => T): T {
    return withTypes(this.settings.types, act);
  }

  private failed(step: string, cause: unknown): ConnectError {
    const { method, rules } = this.adapter;
    const { upstream } = rules;
    return restError("ADAPTER_FAILED", { upstream, method: fullName(method), step }, { cause });
  }
}
