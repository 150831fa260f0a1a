import type { Http2Session } from "node:http2";
import type { Duplex } from "node:stream";
import type { Callbacks } from "./callbacks.ts";
import { ReadTurns } from "./read-turns.ts";

/**
 * The maximum number of requests that start in one event-loop turn: about 10 ms of work at the default costs.
 */
export const PER_TURN = 32;

/** Starts a request. */
type Begin = () => void;

/**
 * Limits the number of requests that start in one event-loop turn. One read of a connection can contain
 * hundreds of requests, and during a flood each turn reads many connections. Starting all of them immediately
 * would delay all work in progress. Requests over `PER_TURN` wait for the next turn, and clients take turns,
 * so a flood does not delay other clients. The caller counts waiting requests.
 */
export class RequestTurns {
  /** The turns in which connections are read. */
  readonly reads: ReadTurns;
  private readonly callbacks: Pick<Callbacks, "soon" | "after">;
  /** The waiting requests by client, in the order of the clients' turns; no set is empty. */
  private readonly waiting = new Map<string, Set<Begin>>();
  private begun = 0;
  private isTurning = false;

  /** @param isProxy returns whether an address is a trusted proxy */
  constructor(callbacks: Pick<Callbacks, "soon" | "after">, isProxy: (address: string) => boolean) {
    this.callbacks = callbacks;
    this.reads = new ReadTurns(callbacks, isProxy);
  }

  /**
   * Starts a request of a client, now or in a later turn.
   *
   * @param begin must not throw
   * @param connection the connection of the request, which is not read while the request waits
   * @returns a function that removes the waiting request; undefined if the request has started
   */
  add(client: string, begin: Begin, connection?: Http2Session | Duplex): (() => void) | undefined {
    this.turn();
    if (this.begun < PER_TURN && this.waiting.size === 0) {
      this.begun += 1;
      begin();
      return undefined;
    }
    const own = this.waiting.get(client) ?? new Set();
    const release = this.reads.hold(connection);
    const held = () => {
      release();
      begin();
    };
    own.add(held);
    this.waiting.set(client, own);
    return () => {
      release();
      if (own.delete(held) && own.size === 0) this.waiting.delete(client);
    };
  }

  private turn(): void {
    if (this.isTurning) return;
    this.isTurning = true;
    this.callbacks.soon(() => this.next());
  }

  private next(): void {
    this.isTurning = false;
    this.begun = 0;
    for (let first = this.take(); first !== undefined; first = this.take()) {
      this.begun += 1;
      // scheduled first, so that the other requests start even if this request throws
      this.turn();
      first();
      if (this.begun >= PER_TURN) return;
    }
  }

  /** Removes and returns the oldest request of the next client, and moves that client to the end. */
  private take(): Begin | undefined {
    for (const [client, own] of this.waiting) {
      this.waiting.delete(client);
      for (const begin of own) {
        own.delete(begin);
        if (own.size > 0) this.waiting.set(client, own);
        return begin;
      }
    }
    return undefined;
  }
}
