import type { DescMethod } from "@bufbuild/protobuf";
import type { EndedTokens, Subject } from "connect-rest-authorization";
import type { Call } from "../call/call.ts";
import { Callbacks, type Timer } from "../listener/callbacks.ts";

/**
 * The duration of one round over all streams, in milliseconds, and its number of steps. A stream that starts
 * just after its step is checked by the end of the next round. Every stream of a revoked token thus ends
 * within 5 seconds in all processes, including the time for which tokens are cached.
 */
const ROUND_MS = 1000;
const STEPS = 20;

export interface AuthorizedStreamsOptions {
  /** Finds tokens that were revoked or have expired. */
  readonly ended: EndedTokens;
  /** Returns whether the streams of a method are endless. An endless stream must end with its token. */
  readonly isEndless: (method: DescMethod) => boolean;
  /** Receives defects. */
  readonly onError: (error: unknown) => void;
}

/**
 * The streams of callers whose tokens may end before the streams do. A revoked token ends all of its streams.
 * An expired token ends only endless streams; other streams may finish. The streams are checked in small
 * batches, so that neither the store nor the event loop is overloaded, and clients do not all reconnect at
 * the same time.
 */
export class AuthorizedStreams {
  private readonly options: AuthorizedStreamsOptions;
  private readonly callbacks: Callbacks;
  private readonly calls = new Set<Call>();
  /** The streams that are still to be checked in this round. */
  private round: Call[] = [];
  private sliceSize = 0;
  private timer: Timer | undefined;
  private step: Promise<void> | undefined;

  constructor(options: AuthorizedStreamsOptions) {
    this.options = options;
    this.callbacks = new Callbacks(options.onError);
  }

  /** Registers a call when it starts. Ignores unary calls and calls without a token. */
  enter(call: Call): void {
    if (call.subject === undefined || call.method.methodKind === "unary") return;
    this.calls.add(call);
    this.timer ??= this.callbacks.every(ROUND_MS / STEPS, () => {
      this.step ??= this.check().finally(() => {
        this.step = undefined;
      });
    });
  }

  /** Removes a call when it ends; does nothing if the call is not registered. */
  leave(call: Call): void {
    if (!this.calls.delete(call) || this.calls.size > 0) return;
    this.timer?.stop();
    this.timer = undefined;
  }

  /** Runs one step of a round. Never rejects. */
  private async check(): Promise<void> {
    if (this.round.length === 0) {
      this.round = [...this.calls];
      this.sliceSize = Math.ceil(this.round.length / STEPS);
    }
    const calls = this.round.splice(0, this.sliceSize).filter((call) => this.calls.has(call));
    const subjects = new Set(calls.map(({ subject }) => subject).filter((subject) => subject !== undefined));
    const ended = await this.options.ended([...subjects]);
    for (const call of calls) this.endWhere(call, ended);
  }

  private endWhere(call: Call, ended: Awaited<ReturnType<EndedTokens>>): void {
    const { subject, method, running } = call;
    const end = ended.get(subject as Subject);
    // a call that does not run yet is checked in a later round
    if (end === undefined || running === undefined || !this.calls.has(call)) return;
    if (end.why === "expired" && !this.options.isEndless(method)) return;
    running.stop(end.error());
  }
}
