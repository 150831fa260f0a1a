import type { DescMessage, DescMethod, MessageShape } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { type Call, runAs } from "../call/call.ts";
import { deadlineExceeded } from "../call/call-errors.ts";
import type { Caller } from "../call/caller.ts";
import { type Deadline, methodDeadline } from "../call/deadline.ts";
import { parseRequest } from "../fast-path/read-message.ts";
import { Callbacks } from "../listener/callbacks.ts";
import type { CallOptions } from "./call-options.ts";
import { noteOverLimit } from "./place.ts";
import { admit, leave } from "./serve-call.ts";

/**
 * The time that remains for the response of the outer call after the inner call exceeded its deadline: a
 * tenth of the time, at most this number of milliseconds.
 */
const MAX_RESERVE_MS = 500;

/** The HTTP status in the log of a call that has no HTTP response. */
const STATUS = 200;

/** The call or the request that makes inner calls. A request that is not a call has no deadline. */
export type OuterCall = Pick<Call, "key" | "protocol" | "challenge" | "trace" | keyof Caller> &
  Partial<Pick<Call, "startedAt" | "deadline" | "place">>;

/** The result of the work of an inner call. */
interface Ended {
  /** The error of the call; undefined if it succeeded. */
  readonly error: ConnectError | undefined;
}

/**
 * Calls that a handler makes on behalf of its caller. They have the authorization, the limits, the deadline,
 * the metrics and the log line of any call of their method.
 */
export class InnerCalls {
  private readonly options: CallOptions;

  constructor(options: CallOptions) {
    this.options = options;
  }

  /**
   * Checks whether the caller may call a method.
   *
   * @throws ConnectError with the challenge that a rejected call of the method gets
   */
  authorize(outer: Pick<Caller, "subject">, method: DescMethod): void {
    const rejection = this.options.authorize?.(outer.subject, method);
    if (rejection === undefined) return;
    const { error, headers } = rejection;
    for (const [name, value] of Object.entries(headers)) error.metadata.set(name, value);
    throw error;
  }

  /**
   * Reads a request message from JSON, within the limits, and checks its constraints.
   *
   * @throws ConnectError
   */
  async read(method: DescMethod, json: string): Promise<MessageShape<DescMessage>> {
    const { options } = this;
    const { message, cost } = parseRequest(method.input, "json", Buffer.from(json), options);
    await options.validation.check(method.input, message, cost);
    return message;
  }

  /**
   * Runs the work of an inner call. Its deadline is before the deadline of the outer call.
   *
   * @throws ConnectError if a limit rejects the call, and what the work throws
   */
  async run<T extends Ended>(
    outer: OuterCall,
    method: DescMethod,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { options } = this;
    const call = this.innerCall(outer, method);
    const abort = new AbortController();
    const stop = (error: unknown) => abort.abort(error);
    call.running = { stop };
    const timer = new Callbacks(stop).after(call.deadline.ms, () => stop(deadlineExceeded(call.deadline)));
    const either = AbortSignal.any([signal, abort.signal]);
    // if the outer call kept its slot, such calls could take all slots and wait for more
    outer.place?.giveBack();
    options.authorizedStreams?.enter(call);
    try {
      const rejected = admit(call, options);
      if (rejected !== undefined) throw noteOverLimit(call, rejected).error;
      await call.place?.take(either);
      const result = await runAs(call, () => work(either));
      this.ended(call, result.error);
      return result;
    } catch (error) {
      this.ended(call, error);
      throw error;
    } finally {
      timer.stop();
      call.place?.giveBack();
      leave(call, options);
    }
  }

  private ended(call: Call, error: unknown): void {
    call.signal = { aborted: true, reason: error };
    const isDefect = error !== undefined && !(error instanceof ConnectError);
    this.options.onDone(call, STATUS, isDefect ? error : undefined);
  }

  /** Creates the record of an inner call. Its spans belong to the span of the outer call. */
  private innerCall(outer: OuterCall, method: DescMethod): Call {
    const { key, requestId, client, subject, protocol, challenge, trace } = outer;
    return {
      ...{ key, requestId, client, subject, protocol, challenge, method },
      startedAt: performance.now(),
      deadline: this.deadlineOf(outer, method),
      trace: { ...trace, end: () => undefined },
      bytesIn: 0,
      bytesOut: 0,
      messageCost: 0,
      requests: 0,
      retries: 0,
      upstreamStatus: undefined,
      failedInHandler: false,
      signal: undefined,
    };
  }

  private deadlineOf({ startedAt, deadline }: OuterCall, method: DescMethod): Deadline {
    const { methodTimeout, limits } = this.options;
    const own = methodDeadline(undefined, method, methodTimeout(method), limits);
    if (startedAt === undefined || deadline === undefined) return own;
    const leftMs = startedAt + deadline.ms - performance.now();
    const ms = Math.max(0, leftMs - Math.min(MAX_RESERVE_MS, leftMs / 10));
    return ms < own.ms ? { ...deadline, ms } : { ...own, isClientBound: deadline.isClientBound };
  }
}
