import type { Clock } from "./clock.ts";
import { nextTurn } from "./event-loop.ts";
import { LARGE_WORK } from "./large-work.ts";

/**
 * Work that takes long, and can pause wherever it yields: it says how much it has done since, in units of its
 * own, of which none takes more than about a microsecond.
 */
export type Work<T> = Generator<number, T, undefined>;

/** How long work may go on in one turn of the event loop. */
const TURN_MS = 4;
/** How much may be done in one turn, whatever the clock says. */
const UNITS_PER_TURN = 256 * 1024;

/** What work needs that is done in turns. */
export interface TurnOptions {
  /** Ends the work, with its reason. */
  readonly signal: AbortSignal | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  /**
   * Bytes that the work reads. While much is in progress, no other work begins that has to wait for its turn.
   */
  readonly bytes: number;
}

/** Does work at once, without a pause. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Does work in turns of the event loop, each a few milliseconds long. Those who do so at the same time get a
 * turn one after the other, and timers, connections and all other calls theirs in between.
 *
 * @throws the reason of the signal once it is aborted, and what the work throws
 */
export async function inTurns<T>(work: Work<T>, { signal, clock, bytes }: TurnOptions): Promise<T> {
  const end = LARGE_WORK.begin(bytes);
  try {
    for (;;) {
      const step = oneTurn(work, clock);
      if (step.done === true) return step.value;
      await nextTurn();
      signal?.throwIfAborted();
    }
  } finally {
    work.return(undefined as never);
    end();
  }
}

function oneTurn<T>(work: Work<T>, clock: Pick<Clock, "monotonic">): IteratorResult<number, T> {
  const start = clock.monotonic();
  for (let units = 0; ; ) {
    const step = work.next();
    if (step.done === true) return step;
    units += step.value;
    if (units >= UNITS_PER_TURN || clock.monotonic() - start >= TURN_MS) return step;
  }
}
