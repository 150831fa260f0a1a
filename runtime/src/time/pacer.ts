import { nextTurn } from "connect-rest-codec/internal";

/** The number of units per event-loop turn. An item takes up to a tenth of a millisecond. */
const UNITS_PER_TURN = 64;
/** The number of bytes that cost as much as a small item. */
const BYTES_PER_UNIT = 2048;

/**
 * Gives other work a turn. A loop over input that has arrived in one piece, such as a thousand records in a
 * chunk, does not leave the microtask queue, so timers, connections and other calls would wait until the
 * whole piece is processed. Such a loop counts the cost of its input, and pauses when the budget of a turn is
 * spent.
 */
export class Pacer {
  private readonly signal: AbortSignal | undefined;
  private spent = 0;

  /** @param signal once it is aborted, pauses reject with its reason */
  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }

  /** Counts items. Returns a promise when it is time to pause. */
  items(count = 1): Promise<void> | undefined {
    this.spent += count;
    return this.spent < UNITS_PER_TURN ? undefined : this.pause();
  }

  /**
   * Counts a chunk of bytes; even a small chunk has a minimum cost. Returns a promise when it is time to
   * pause.
   */
  bytes(count: number): Promise<void> | undefined {
    return this.items(1 + count / BYTES_PER_UNIT);
  }

  private async pause(): Promise<void> {
    this.spent = 0;
    await nextTurn();
    this.signal?.throwIfAborted();
  }
}

/** Yields the items, with pauses. */
export async function* paced<T>(items: Iterable<T>, pacer: Pacer): AsyncGenerator<T, undefined> {
  for (const item of items) {
    yield item;
    const pause = pacer.items();
    if (pause !== undefined) await pause;
  }
  return undefined;
}
