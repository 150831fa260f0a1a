import type { Limits } from "../limits.ts";
import type { Overload } from "./overload.ts";
import { type Refused, refused } from "./refused.ts";
import { Shares } from "./shares.ts";

/** Calls of one upstream at the same time, where its options do not say. */
export const defaultUpstreamCalls = 1024;

/** Calls of an upstream that may run at the same time. */
export interface UpstreamShare {
  readonly upstream: string;
  readonly callsInFlight: number;
}

/** A call that asks to be taken. */
export interface Visitor {
  /** The client's address. */
  readonly client: string;
  /** By `performance.now()`. */
  readonly deadlineAt: number;
  /** Undefined for a call that goes to none. */
  readonly share: UpstreamShare | undefined;
  /** Whether it is over with one answer: streams say nothing about how long calls take. */
  readonly isUnary: boolean;
  /** Runs the call, at once or after it has waited. */
  readonly run: () => void;
  /** Answers it without running it. */
  readonly refuse: (refused: Refused) => void;
}

interface Waiting {
  readonly visitor: Visitor;
  readonly timer: NodeJS.Timeout;
}

/** How much the newest call counts in the average. */
const weight = 0.05;

/** When to call again after an overload, in milliseconds. */
const overloadRetryMs = 1000;

/**
 * Takes calls, lets them wait, or refuses them: by how busy the process is, by the share of their client and their
 * upstream, and by how many run. Those that wait are taken in the order in which they came; those that could not be
 * answered before their deadline any more are refused, so that no work is done for nobody.
 */
export class Admission {
  readonly #limits: Limits;
  readonly #overload: () => Overload | undefined;
  readonly #now: () => number;
  readonly #clients = new Shares();
  readonly #upstreams = new Shares();
  readonly #queue = new Set<Waiting>();
  #running = 0;
  /** How long a unary call takes, in milliseconds. */
  #typicalMs = 0;

  constructor(
    limits: Limits,
    overload: () => Overload | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#overload = overload;
    this.#now = now;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.size;
  }

  /**
   * Calls exactly one of the visitor's functions, now or later.
   *
   * @returns a function to be called once, when the call is over or its client is gone
   */
  enter(visitor: Visitor): () => void {
    const problem = this.#problem(visitor);
    if (problem !== undefined) {
      visitor.refuse(problem);
      return () => undefined;
    }
    this.#clients.take(visitor.client);
    if (this.#running < this.#limits.callsInFlight) return this.#start(visitor);
    return this.#wait(visitor);
  }

  #problem({ client, deadlineAt, share }: Visitor): Refused | undefined {
    const overload = this.#overload();
    if (overload !== undefined) return refused(overload.limit, overload.text, overloadRetryMs);
    const { callsPerClient, callsInFlight, queuedCalls } = this.#limits;
    if (this.#clients.of(client) >= callsPerClient) {
      const text = `${callsPerClient} calls of this client are running, the limit callsPerClient`;
      return refused("callsPerClient", text, this.#typicalMs);
    }
    const busy = this.#busyUpstream(share);
    if (busy !== undefined || this.#running < callsInFlight) return busy;
    const waitMs = this.#expectedWaitMs(this.#queue.size + 1);
    const text = `${callsInFlight} calls are running, the limit callsInFlight`;
    if (this.#queue.size >= queuedCalls) {
      return refused("queuedCalls", `${text}, and ${queuedCalls} wait, the limit queuedCalls`, waitMs);
    }
    if (this.#now() + waitMs + this.#typicalMs <= deadlineAt) return undefined;
    return refused("callsInFlight", `${text}, and the call would wait beyond its deadline`, waitMs);
  }

  #busyUpstream(share: UpstreamShare | undefined): Refused | undefined {
    if (share === undefined || this.#upstreams.of(share.upstream) < share.callsInFlight) return undefined;
    const { upstream, callsInFlight } = share;
    const text = `${callsInFlight} calls of the upstream ${upstream} are running, its limit callsInFlight`;
    return refused("upstream.callsInFlight", text, this.#typicalMs);
  }

  #expectedWaitMs(place: number): number {
    return (place * this.#typicalMs) / this.#limits.callsInFlight;
  }

  #start(visitor: Visitor): () => void {
    const { client, share, isUnary } = visitor;
    const startedAt = this.#now();
    this.#running += 1;
    if (share !== undefined) this.#upstreams.take(share.upstream);
    visitor.run();
    return () => {
      this.#running -= 1;
      this.#clients.giveBack(client);
      if (share !== undefined) this.#upstreams.giveBack(share.upstream);
      if (isUnary) this.#typicalMs += weight * (this.#now() - startedAt - this.#typicalMs);
      this.#next();
    };
  }

  #wait(visitor: Visitor): () => void {
    const { queueTimeoutMs } = this.#limits;
    let leave = () => {
      if (this.#dequeue(waiting)) this.#clients.giveBack(visitor.client);
    };
    const text = `the call has waited for queueTimeoutMs, ${queueTimeoutMs} ms, behind others`;
    const tooLong = () => {
      const retryMs = this.#expectedWaitMs(this.#queue.size);
      this.#giveUp(waiting, this.#tooLate(visitor) ?? refused("queueTimeoutMs", text, retryMs));
    };
    const maxMs = Math.max(0, Math.min(queueTimeoutMs, visitor.deadlineAt - this.#now()));
    const run = () => {
      leave = this.#start(visitor);
    };
    const waiting = { visitor: { ...visitor, run }, timer: setTimeout(tooLong, maxMs) };
    this.#queue.add(waiting);
    return () => leave();
  }

  /** Starts what waits, as far as there is room. */
  #next(): void {
    for (const waiting of this.#queue) {
      if (this.#running >= this.#limits.callsInFlight) return;
      const problem = this.#tooLate(waiting.visitor) ?? this.#busyUpstream(waiting.visitor.share);
      if (problem !== undefined) this.#giveUp(waiting, problem);
      else if (this.#dequeue(waiting)) waiting.visitor.run();
    }
  }

  #tooLate({ deadlineAt }: Visitor): Refused | undefined {
    if (this.#now() + this.#typicalMs < deadlineAt) return undefined;
    return refused("callsInFlight", "the call has waited behind others until its deadline", this.#typicalMs);
  }

  #giveUp(waiting: Waiting, problem: Refused): void {
    if (!this.#dequeue(waiting)) return;
    this.#clients.giveBack(waiting.visitor.client);
    waiting.visitor.refuse(problem);
  }

  #dequeue(waiting: Waiting): boolean {
    clearTimeout(waiting.timer);
    return this.#queue.delete(waiting);
  }
}
