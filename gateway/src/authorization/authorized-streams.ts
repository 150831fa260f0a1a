import type { DescMethod } from "@bufbuild/protobuf";
import type { EndedTokens, Subject } from "connect-rest-authorization";
import type { Call } from "../call/call.ts";
import { Callbacks, type Timer } from "../listener/callbacks.ts";

/**
 * How long one round over all streams takes, in milliseconds, and its steps. A stream that began just after a
 * round did is checked by the end of the next one, so that with the time for which tokens are remembered, a
 * token that was revoked anywhere has no stream 5 seconds later.
 */
const ROUND_MS = 1000;
const STEPS = 20;

export interface AuthorizedStreamsOptions {
  /** Finds out which tokens have ended. */
  readonly ended: EndedTokens;
  /**
   * Whether streams of a method have no end of their own, and must not outlive the token that they began
   * with.
   */
  readonly isEndless: (method: DescMethod) => boolean;
  /** Notified of a defect. */
  readonly onError: (error: unknown) => void;
}

/**
 * The streams of callers whose tokens may end before they do. A token that is revoked ends all of its
 * streams; one that expires ends those that are endless: others finish what was allowed when they began. A
 * part of the streams is checked at a time, so that neither the store, nor the event loop, nor clients that
 * come back get all of them at once.
 */
export class AuthorizedStreams {
  private readonly options: AuthorizedStreamsOptions;
  private readonly callbacks: Callbacks;
  private readonly calls = new Set<Call>();
  /** The streams of this round that are yet to be checked. */
  private round: Call[] = [];
  private sliceSize = 0;
  private timer: Timer | undefined;
  private step: Promise<void> | undefined;

  constructor(options: AuthorizedStreamsOptions) {
    this.options = options;
    this.callbacks = new Callbacks(options.onError);
  }

  /** A call begins; one that is no stream, or that needed no token, is not kept. */
  enter(call: Call): void {
    if (call.subject === undefined || call.method.methodKind === "unary") return;
    this.calls.add(call);
    this.timer ??= this.callbacks.every(ROUND_MS / STEPS, () => {
      this.step ??= this.check().finally(() => {
        this.step = undefined;
      });
    });
  }

  /** A call is over; safe to call for any. */
  leave(call: Call): void {
    if (!this.calls.delete(call) || this.calls.size > 0) return;
    this.timer?.stop();
    this.timer = undefined;
  }

  /** One step of a round. Never rejects. */
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
    // one that does not run yet is found again
    if (end === undefined || running === undefined || !this.calls.has(call)) return;
    if (end.why === "expired" && !this.options.isEndless(method)) return;
    running.stop(end.error());
  }
}
