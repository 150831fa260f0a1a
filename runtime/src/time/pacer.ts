import { setImmediate } from "node:timers/promises";

/** How many units are spent in one turn of the event loop. */
const UNITS_PER_TURN = 256;
/** Bytes that cost as much as a small item does. */
const BYTES_PER_UNIT = 512;

/**
 * Lets other work have its turn. What comes in one piece, a thousand records in a chunk, is consumed from promise to promise:
 * timers, connections and other calls wait until all of it is done. Whoever loops over input counts what it costs, and
 * pauses after each share.
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

  /** Counts bytes; a promise where it is time to pause. */
  bytes(count: number): Promise<void> | undefined {
    return this.items(count / BYTES_PER_UNIT);
  }

  private async pause(): Promise<void> {
    this.spent = 0;
    await setImmediate();
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
