import type { Admission, QueuedCall, UpstreamShare } from "../admission/admission.ts";
import type { Call, CallPlace } from "../call/call.ts";
import { deadlineExceeded } from "../call/call-errors.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import { Callbacks } from "../listener/callbacks.ts";

/** Returns whether the deadline of a call has passed, with the tolerance of one timer tick. */
export function isDue({ startedAt, deadline }: Call): boolean {
  return performance.now() - startedAt >= deadline.ms - 1;
}

/** Records the limit that rejects a call, and returns the rejection for its caller. */
export function noteOverLimit(call: Call, problem: LimitRejection): LimitRejection {
  const rejected = isDue(call) ? { ...problem, error: deadlineExceeded(call.deadline) } : problem;
  call.rejected = rejected;
  return rejected;
}

/**
 * The slot of a call, both in the process and in its upstream. A call takes the slot only once its request
 * message is complete, so that a client that sends half a message blocks nobody.
 */
export class Place implements CallPlace, QueuedCall {
  readonly client: string;
  readonly deadlineAt: number;
  readonly share: UpstreamShare | undefined;
  readonly isUnary: boolean;
  private readonly call: Call;
  private readonly admission: Admission;
  private leave: (() => void) | undefined;
  private resolve: (() => void) | undefined;
  private fail: ((reason: unknown) => void) | undefined;

  constructor(call: Call, admission: Admission, share: UpstreamShare | undefined) {
    this.client = call.key;
    this.deadlineAt = call.startedAt + call.deadline.ms;
    this.share = share;
    this.isUnary = call.method.methodKind === "unary";
    this.call = call;
    this.admission = admission;
  }

  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const callbacks = new Callbacks((error) => this.fail?.(error));
    const off = callbacks.onAbort(signal, () => {
      this.giveBack();
      this.fail?.(signal.reason);
    });
    try {
      await new Promise<void>((resolve, reject) => {
        this.resolve = resolve;
        this.fail = reject;
        this.leave = this.admission.enter(this);
      });
    } finally {
      off();
    }
  }

  giveBack(): void {
    this.leave?.();
    this.leave = undefined;
  }

  run(): void {
    this.resolve?.();
  }

  reject(problem: LimitRejection): void {
    this.fail?.(noteOverLimit(this.call, problem).error);
  }
}
