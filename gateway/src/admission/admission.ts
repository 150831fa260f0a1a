import type { Limits } from "../limits.ts";
import type { Overload } from "./overload.ts";
import { type Refused, refused } from "./refused.ts";

/** Calls of one upstream at the same time, where its options do not say. */
export const DEFAULT_UPSTREAM_CALLS = 1024;

/** Calls of an upstream that may run at the same time. */
export interface UpstreamShare {
  readonly upstream: string;
  readonly callsInFlight: number;
}

/** A call that asks to be taken. */
export interface QueuedCall {
  /** The client's address. */
  readonly client: string;
  /** By `performance.now()`. */
  readonly deadlineAt: number;
  /** Undefined for a call that goes to none. */
  readonly share: UpstreamShare | undefined;
  /** Whether it has one response: streams say nothing about how long calls take. */
  readonly isUnary: boolean;
  /** Runs the call, at once or after it has waited. */
  readonly run: () => void;
  /** Refuses the call. */
  readonly refuse: (refused: Refused) => void;
}

interface Waiting {
  readonly call: QueuedCall;
  readonly timer: NodeJS.Timeout;
}

/** How much the newest call counts in the average. */
const WEIGHT = 0.05;

/** When to call again after an overload, in milliseconds. */
const OVERLOAD_RETRY_MS = 1000;

/**
 * Admits calls, lets them wait, or refuses them: by how busy the process is, by the share of their client and their
 * upstream, and by how many run. Those that wait are taken in the order in which they came; those that could not
 * finish before their deadline any more are refused, so that no work is wasted.
 */
export class Admission {
  private readonly limits: Limits;
  private readonly overload: () => Overload | undefined;
  private readonly now: () => number;
  private readonly clients = new Shares();
  private readonly upstreams = new Shares();
  private readonly queue = new Set<Waiting>();
  private active = 0;
  /** How long a unary call takes, in milliseconds. */
  private typicalMs = 0;

  constructor(
    limits: Limits,
    overload: () => Overload | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.limits = limits;
    this.overload = overload;
    this.now = now;
  }

  get running(): number {
    return this.active;
  }

  get queued(): number {
    return this.queue.size;
  }

  /**
   * Calls exactly one of `run` and `refuse`, now or later.
   *
   * @returns a function to be called once, when the call is over or its client is gone
   */
  enter(call: QueuedCall): () => void {
    const problem = this.problem(call);
    if (problem !== undefined) {
      call.refuse(problem);
      return () => undefined;
    }
    this.clients.take(call.client);
    if (this.active < this.limits.callsInFlight) return this.start(call);
    return this.wait(call);
  }

  private problem({ client, deadlineAt, share }: QueuedCall): Refused | undefined {
    const overload = this.overload();
    if (overload !== undefined) return refused(overload.limit, overload.text, OVERLOAD_RETRY_MS);
    const { callsPerClient, callsInFlight, queuedCalls } = this.limits;
    if (this.clients.of(client) >= callsPerClient) {
      const text = `${callsPerClient} calls of this client are running, the limit callsPerClient`;
      return refused("callsPerClient", text, this.typicalMs);
    }
    const busy = this.busyUpstream(share);
    if (busy !== undefined || this.active < callsInFlight) return busy;
    const waitMs = this.expectedWaitMs(this.queue.size + 1);
    const text = `${callsInFlight} calls are running, the limit callsInFlight`;
    if (this.queue.size >= queuedCalls) {
      return refused("queuedCalls", `${text}, and ${queuedCalls} wait, the limit queuedCalls`, waitMs);
    }
    if (this.now() + waitMs + this.typicalMs <= deadlineAt) return undefined;
    return refused("callsInFlight", `${text}, and the call would wait beyond its deadline`, waitMs);
  }

  private busyUpstream(share: UpstreamShare | undefined): Refused | undefined {
    if (share === undefined || this.upstreams.of(share.upstream) < share.callsInFlight) return undefined;
    const { upstream, callsInFlight } = share;
    const text = `${callsInFlight} calls of the upstream ${upstream} are running, its limit callsInFlight`;
    return refused("upstream.callsInFlight", text, this.typicalMs);
  }

  private expectedWaitMs(place: number): number {
    return (place * this.typicalMs) / this.limits.callsInFlight;
  }

  private start(call: QueuedCall): () => void {
    const { client, share, isUnary } = call;
    const startedAt = this.now();
    this.active += 1;
    if (share !== undefined) this.upstreams.take(share.upstream);
    call.run();
    return () => {
      this.active -= 1;
      this.clients.giveBack(client);
      if (share !== undefined) this.upstreams.giveBack(share.upstream);
      if (isUnary) this.typicalMs += WEIGHT * (this.now() - startedAt - this.typicalMs);
      this.next();
    };
  }

  private wait(call: QueuedCall): () => void {
    const { queueTimeoutMs } = this.limits;
    let leave = () => {
      if (this.dequeue(waiting)) this.clients.giveBack(call.client);
    };
    const text = `the call has waited for queueTimeoutMs, ${queueTimeoutMs} ms, behind others`;
    const tooLong = () => {
      const retryMs = this.expectedWaitMs(this.queue.size);
      this.giveUp(waiting, this.tooLate(call) ?? refused("queueTimeoutMs", text, retryMs));
    };
    const maxMs = Math.max(0, Math.min(queueTimeoutMs, call.deadlineAt - this.now()));
    const run = () => {
      leave = this.start(call);
    };
    const waiting = { call: { ...call, run }, timer: setTimeout(tooLong, maxMs) };
    this.queue.add(waiting);
    return () => leave();
  }

  /** Starts what waits, as far as the limits allow. */
  private next(): void {
    for (const waiting of this.queue) {
      if (this.active >= this.limits.callsInFlight) return;
      const problem = this.tooLate(waiting.call) ?? this.busyUpstream(waiting.call.share);
      if (problem !== undefined) {
        this.giveUp(waiting, problem);
      } else if (this.dequeue(waiting)) waiting.call.run();
    }
  }

  private tooLate({ deadlineAt }: QueuedCall): Refused | undefined {
    if (this.now() + this.typicalMs < deadlineAt) return undefined;
    return refused("callsInFlight", "the call has waited behind others until its deadline", this.typicalMs);
  }

  private giveUp(waiting: Waiting, problem: Refused): void {
    if (!this.dequeue(waiting)) return;
    this.clients.giveBack(waiting.call.client);
    waiting.call.refuse(problem);
  }

  private dequeue(waiting: Waiting): boolean {
    clearTimeout(waiting.timer);
    return this.queue.delete(waiting);
  }
}

/** Counts what is taken by name, and forgets names that have nothing. */
class Shares {
  private readonly taken = new Map<string, number>();

  of(name: string): number {
    return this.taken.get(name) ?? 0;
  }

  take(name: string): void {
    this.taken.set(name, this.of(name) + 1);
  }

  giveBack(name: string): void {
    const left = this.of(name) - 1;
    if (left > 0) {
      this.taken.set(name, left);
    } else {
      this.taken.delete(name);
    }
  }
}
