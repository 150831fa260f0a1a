import { clientKey } from "../call/client-key.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import type { Limits } from "../limits.ts";
import { limitRejection } from "./limit-rejection.ts";
import type { Overload } from "./overload.ts";
import { type Holder, Slots } from "./slots.ts";
import { type Waiting, WaitingCalls } from "./waiting-calls.ts";

/** The default maximum number of concurrent calls to one upstream. */
export const DEFAULT_UPSTREAM_CALLS = 1024;

/** An upstream and its limit on concurrent calls. */
export interface UpstreamShare {
  readonly upstream: string;
  readonly callsInFlight: number;
}

/** A call to be admitted. */
export interface QueuedCall {
  /** The caller's key or address. */
  readonly client: string;
  /** By `performance.now()`. */
  readonly deadlineAt: number;
  /** The upstream and its limit; undefined for a call without an upstream. */
  readonly share: UpstreamShare | undefined;
  /** Whether the call has a single response. Streams do not contribute to the average duration. */
  readonly isUnary: boolean;
  /** Runs the call, either immediately or after waiting. */
  readonly run: () => void;
  /** Rejects the call. */
  readonly reject: (rejected: LimitRejection) => void;
}

/**
 * A call and its admission state. A class is cheaper than closures, and one object is created for each call.
 */
class Entry implements Waiting, Holder {
  readonly call: QueuedCall;
  readonly client: string;
  readonly isUnary: boolean;
  readonly upstream: Slots | undefined;
  /** The position in the order of arrival, starting at 0. */
  readonly place: number;
  /** The timer that ends the wait; set while the call waits. */
  timer: NodeJS.Timeout | undefined;
  /** When the call started; undefined until it runs. */
  startedAt: number | undefined;

  constructor(call: QueuedCall, upstream: Slots | undefined, place: number) {
    this.call = call;
    this.client = clientKey(call.client);
    this.isUnary = call.isUnary;
    this.upstream = upstream;
    this.place = place;
  }

  /** Computed lazily, since only waiting calls need it. */
  get line(): string {
    const { client, isUnary, call } = this;
    // upstream names contain no spaces
    return `${isUnary ? "unary" : "stream"} ${call.share?.upstream ?? ""} ${client}`;
  }
}

/** The retry delay after an overload, in milliseconds. */
export const OVERLOAD_RETRY_MS = 1000;

/** The maximum time that a client's only call may always wait, as a multiple of the typical call duration. */
const PATIENCE = 2;

/**
 * Admits, queues or rejects calls, based on the load of the process and on the calls that run in the process
 * and at the call's upstream. Free slots go to any caller, so a single client may use all of them. Under
 * contention, a slot that becomes free goes to the client with the smallest share. A client's share is its
 * fraction of the upstream's slots or of the process's slots, whichever is larger. A second client therefore
 * runs as soon as any call of the first client ends. Calls that could not finish before their deadline are
 * rejected, so that no work is wasted.
 */
export class Admission {
  private readonly limits: Limits;
  private readonly overload: () => Overload | undefined;
  private readonly now: () => number;
  private readonly process: Slots;
  private readonly upstreams = new Map<string, Slots>();
  private readonly upstreamLimits = new Map<string, number>();
  private readonly queue = new WaitingCalls<Entry>(() => this.limits.queuedCalls);
  private places = 0;
  /** The sequence number of the last slot given to each client that has running or waiting calls. */
  private readonly turns = new Map<string, number>();
  private turn = 0;

  constructor(
    limits: Limits,
    overload: () => Overload | undefined,
    now: () => number = () => performance.now(),
  ) {
    this.limits = limits;
    this.overload = overload;
    this.now = now;
    this.process = new Slots(() => limits.callsInFlight);
  }

  get running(): number {
    return this.process.running;
  }

  get queued(): number {
    return this.queue.size;
  }

  /**
   * Returns the reason to reject the next call before it is read; undefined to accept the call. Must be
   * called only once per call.
   */
  rejection(): LimitRejection | undefined {
    const overload = this.overload();
    return overload && limitRejection(overload.limit, overload.text, OVERLOAD_RETRY_MS);
  }

  /**
   * Calls exactly one of `run` and `reject`, either immediately or later.
   *
   * @returns a function to call once, when the upstream has responded or the call has ended
   */
  enter(call: QueuedCall): () => void {
    const entry = new Entry(call, call.share && this.slotsOf(call.share), this.places++);
    if (this.hasRoom(entry)) {
      this.start(entry);
    } else {
      const problem = this.problem(entry);
      if (problem !== undefined) {
        call.reject(problem);
        return () => undefined;
      }
      this.wait(entry);
    }
    return () => this.leave(entry);
  }

  private leave(entry: Entry): void {
    const { startedAt } = entry;
    if (startedAt === undefined) {
      if (this.dequeue(entry)) this.forget(entry);
      return;
    }
    entry.startedAt = undefined;
    const tookMs = this.now() - startedAt;
    this.process.giveBack(entry, tookMs);
    entry.upstream?.giveBack(entry, tookMs);
    this.next();
    this.forget(entry);
  }

  private slotsOf({ upstream, callsInFlight }: UpstreamShare): Slots {
    this.upstreamLimits.set(upstream, callsInFlight);
    const known = this.upstreams.get(upstream);
    if (known !== undefined) return known;
    const slots = new Slots(() => this.upstreamLimits.get(upstream) ?? callsInFlight);
    this.upstreams.set(upstream, slots);
    return slots;
  }

  private hasRoom(entry: Entry): boolean {
    return this.process.hasRoom(entry) && (entry.upstream?.hasRoom(entry) ?? true);
  }

  /**
   * Returns the reason why a call without a free slot may not wait in the queue; undefined if the call may
   * wait. May remove another call from the queue to make room.
   */
  private problem(entry: Entry): LimitRejection | undefined {
    const { callsPerClient, queuedCalls } = this.limits;
    const { client } = entry;
    const held = (entry.upstream ?? this.process).heldBy(client) + this.queue.of(client);
    if (held >= callsPerClient && this.isContended(entry)) return this.beyondShare(held);
    if (this.queue.size >= queuedCalls && !this.makePlace(client)) {
      const waitMs = this.expectedWaitMs(entry);
      return limitRejection(
        "queuedCalls",
        `${this.fullText(entry)}, and ${queuedCalls} wait, the limit queuedCalls`,
        waitMs,
      );
    }
    const waitMs = this.expectedWaitMs(entry);
    if (this.now() + waitMs + this.typicalMs(entry) <= entry.call.deadlineAt) return undefined;
    const text = `${this.fullText(entry)}, and the call would wait beyond its deadline`;
    return limitRejection(this.fullLimit(entry), text, waitMs);
  }

  /** Returns whether other clients are waiting for the slots that a call needs. */
  private isContended({ client, upstream }: Entry): boolean {
    const isFull = this.process.running >= this.process.capacity;
    for (const other of this.queue.heads()) {
      if (other.client !== client && (isFull || other.upstream === upstream)) return true;
    }
    return false;
  }

  /**
   * Rejects the newest waiting call of the client with the most waiting calls, if that client has more
   * waiting calls than `client`.
   */
  private makePlace(client: string): boolean {
    const loser = this.queue.loser(client);
    if (loser === undefined) return false;
    this.giveUp(loser, this.beyondShare(this.queue.of(loser.client)));
    return true;
  }

  private beyondShare(count: number): LimitRejection {
    const text = `this client has ${count} calls that run or wait, and others wait (callsPerClient)`;
    return limitRejection("callsPerClient", text, this.process.typicalMs);
  }

  /** Returns the name of the limit that is reached: the limit of the process or of the upstream. */
  private fullLimit(entry: Entry): "callsInFlight" | "upstream.callsInFlight" {
    return this.process.hasRoom(entry) ? "upstream.callsInFlight" : "callsInFlight";
  }

  private fullText(entry: Entry): string {
    const { share } = entry.call;
    if (share === undefined || this.fullLimit(entry) === "callsInFlight") {
      return `${this.process.running} calls are running, the limit callsInFlight`;
    }
    return `${entry.upstream?.running} calls of the upstream ${share.upstream} are running, its limit callsInFlight`;
  }

  private typicalMs({ upstream }: Entry): number {
    return upstream === undefined || upstream.typicalMs === 0 ? this.process.typicalMs : upstream.typicalMs;
  }

  /**
   * Estimates how long a call has to wait. Clients take turns: before the call runs, each other client runs
   * at most as many calls as this client has waiting, including the call itself.
   */
  private expectedWaitMs(entry: Entry): number {
    const { client } = entry;
    const turn = this.queue.of(client) + 1;
    const clients = this.queue.waitingClients + (turn === 1 ? 1 : 0);
    const ahead = Math.min(this.queue.size + 1, turn * clients);
    const capacity = Math.min(this.process.capacity, entry.upstream?.capacity ?? this.process.capacity);
    return (ahead * this.typicalMs(entry)) / capacity;
  }

  private start(entry: Entry): void {
    entry.startedAt = this.now();
    this.turns.set(entry.client, ++this.turn);
    this.process.take(entry);
    entry.upstream?.take(entry);
    entry.call.run();
  }

  private wait(entry: Entry): void {
    const { deadlineAt } = entry.call;
    const { queueTimeoutMs } = this.limits;
    const isOnly = this.process.heldBy(entry.client) + this.queue.of(entry.client) === 0;
    const patienceMs = Math.max(queueTimeoutMs, isOnly ? PATIENCE * this.typicalMs(entry) : 0);
    const text = `the call has waited for queueTimeoutMs, ${queueTimeoutMs} ms, behind others`;
    const until = Math.min(this.now() + patienceMs, deadlineAt);
    const tooLong = () => {
      const leftMs = until - this.now();
      // a timer counts from the start of the event-loop turn, so it may fire early by the time that the turn
      // has already taken
      if (leftMs > 0) {
        entry.timer = setTimeout(tooLong, leftMs);
        return;
      }
      const retryMs = this.expectedWaitMs(entry);
      this.giveUp(entry, this.tooLate(entry) ?? limitRejection("queueTimeoutMs", text, retryMs));
    };
    entry.timer = setTimeout(tooLong, Math.max(0, until - this.now()));
    this.queue.add(entry);
  }

  /** Starts waiting calls while there are free slots. */
  private next(): void {
    for (let entry = this.nextEntry(); entry !== undefined; entry = this.nextEntry()) {
      const problem = this.tooLate(entry);
      if (problem !== undefined) {
        this.giveUp(entry, problem);
      } else if (this.dequeue(entry)) this.start(entry);
    }
  }

  /**
   * Returns the next call that can run: the call whose client has the smallest share. Ties go to the client
   * that has waited longest for its turn, then to the call that arrived first.
   */
  private nextEntry(): Entry | undefined {
    if (this.queue.size === 0 || this.process.running >= this.process.capacity) return undefined;
    let best: Entry | undefined;
    for (const entry of this.queue.heads()) {
      if (this.hasRoom(entry) && (best === undefined || this.isBefore(entry, best))) best = entry;
    }
    return best;
  }

  private isBefore(entry: Entry, other: Entry): boolean {
    const difference =
      this.shareOf(entry) - this.shareOf(other) ||
      (this.turns.get(entry.client) ?? 0) - (this.turns.get(other.client) ?? 0) ||
      entry.place - other.place;
    return difference < 0;
  }

  /** Returns the client's share of the upstream or of the process, whichever is larger. */
  private shareOf({ client, upstream }: Entry): number {
    return Math.max(this.process.shareOf(client), upstream?.shareOf(client) ?? 0);
  }

  private tooLate(entry: Entry): LimitRejection | undefined {
    const typicalMs = this.typicalMs(entry);
    if (this.now() + typicalMs < entry.call.deadlineAt) return undefined;
    return limitRejection("callsInFlight", "the call has waited behind others until its deadline", typicalMs);
  }

  private giveUp(entry: Entry, problem: LimitRejection): void {
    if (!this.dequeue(entry)) return;
    this.forget(entry);
    entry.call.reject(problem);
  }

  private dequeue(entry: Entry): boolean {
    clearTimeout(entry.timer);
    return this.queue.remove(entry);
  }

  /** Forgets the last turn of a client without running or waiting calls. */
  private forget({ client }: Entry): void {
    if (this.process.heldBy(client) + this.queue.of(client) === 0) this.turns.delete(client);
  }
}
