import { nextTurn } from "connect-rest-codec/internal";

/**
 * How many units are spent in one turn of the event loop. An item takes a server
 * up to a tenth of a millisecond.
 */
const UNITS_PER_TURN = 64;
/** Bytes that cost as much as a small item does. */
const BYTES_PER_UNIT = 2048;

/**
 * Lets other work have its turn. What comes in one piece, a thousand records in a chunk, is consumed from
 * promise to promise: timers, connections and other calls wait until all of it is done. Whoever loops over
 * input counts what it costs, and pauses after each share.
 */
export class Pacer {
  private readonly signal: AbortSignal | undefined;
  private spent = 0;

  /** @param signal makes a pause fail with its reason once it is aborted */
  constructor(signal?: AbortSignal) {
    this.signal = signal;
  }

  /** Counts items; a promise where it is time to pause. */
  items(count = 1): Promise<void> | undefined {
    this.spent += count;
    return this.spent < UNITS_PER_TURN ? undefined : this.pause();
  }

  /**
   * Counts a chunk of bytes, which costs something however small it is; a promise where it is time to pause.
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

/** Items as they are, with pauses. */
export async function* paced<T>(items: Iterable<T>, pacer: Pacer): AsyncGenerator<T, undefined> {
  for (const item of items) {
    yield item;
    const pause = pacer.items();
    if (pause !== undefined) await pause;
  }
  return undefined;
}
