import type { Callbacks } from "./callbacks.ts";

/** How many requests begin in one turn of the event loop, with the default costs some 10 ms of work. */
export const PER_TURN = 32;

/** Begins a request. */
type Begin = () => void;

/**
 * Lets few requests begin in one turn of the event loop. A read of one connection can hold hundreds, and in a
 * flood each turn reads many connections: begun at once, they would hold up all that is under way. Beyond
 * `PER_TURN` requests wait for the next turn, and clients take turns: who sends little waits for nobody's
 * flood. What waits is counted by whoever hands it in.
 */
export class RequestTurns {
  private readonly callbacks: Pick<Callbacks, "soon">;
  /** By client, in the order of their turns; none is empty. */
  private readonly waiting = new Map<string, Set<Begin>>();
  private begun = 0;
  private isTurning = false;

  constructor(callbacks: Pick<Callbacks, "soon">) {
    this.callbacks = callbacks;
  }

  /**
   * Begins a request of a client, now or in a later turn.
   *
   * @param begin must not throw
   * @returns what takes it back while it waits; undefined when it has begun
   */
  add(client: string, begin: Begin): (() => void) | undefined {
    this.turn();
    if (this.begun < PER_TURN && this.waiting.size === 0) {
      this.begun += 1;
      begin();
      return undefined;
    }
    const own = this.waiting.get(client) ?? new Set();
    own.add(begin);
    this.waiting.set(client, own);
    return () => {
      if (own.delete(begin) && own.size === 0) this.waiting.delete(client);
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
      // before it, so that whatever it does the others have their turn
      this.turn();
      first();
      if (this.begun >= PER_TURN) return;
    }
  }

  /** The oldest request of the client whose turn it is, which is then last. */
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
