import { nextTurn } from "connect-rest-codec/internal";

/** The budget of one turn of the event loop, in units. An item takes up to a tenth of a millisecond. */
const UNITS_PER_TURN = 64;
/** The number of bytes that cost as much as a small item. */
const BYTES_PER_UNIT = 2048;

/**
 * Yields to other work. Input in one piece, such as a thousand records in a chunk, is consumed without
 * leaving the microtask queue: timers, connections and other calls wait until all of it is done. A loop over
 * input counts its cost, and pauses after each share.
 */
export class Pacer {
  private readonly signal: AbortSignal | undefined;
  private spent = 0;

  /** @param signal makes a pause reject with its reason once it is aborted */
  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }

  /** Counts items; returns a promise when it is time to pause. */
  items(count = 1): Promise<void> | undefined {
    this.spent += count;
    return this.spent < UNITS_PER_TURN ? undefined : this.pause();
  }

  /** Counts a chunk of bytes, which has a minimum cost; returns a promise when it is time to pause. */
  bytes(count: number): Promise<void> | undefined {
    return this.items(1 + count / BYTES_PER_UNIT);
  }

  private async pause(): Promise<void> {
    this.spent = 0;
    await nextTurn();
    this.signal?.throwIfAborted();
  }
}

/** Yields items unchanged, with pauses. */
export async function* paced<T>(items: Iterable<T>, pacer: Pacer): AsyncGenerator<T, undefined> {
  for (const item of items) {
    yield item;
    const pause = pacer.items();
    if (pause !== undefined) await pause;
  }
  return undefined;
}
