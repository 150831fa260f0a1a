import type { Clock } from "./clock.ts";
import { nextTurn } from "./event-loop.ts";
import { LARGE_WORK } from "./large-work.ts";

/**
 * Long work that may pause wherever it yields. It yields the number of units done since the last yield; each
 * unit takes at most about a microsecond.
 */
export type Work<T> = Generator<number, T, undefined>;

/** The maximum time for work in one turn of the event loop. */
const TURN_MS = 4;
/** The maximum number of units in one turn, independent of the clock. */
const UNITS_PER_TURN = 256 * 1024;

/** The options of work that is done in turns. */
export interface TurnOptions {
  /** Aborts the work with the reason of the signal. */
  readonly signal: AbortSignal | undefined;
  readonly clock: Pick<Clock, "monotonic">;
  /**
   * The number of bytes that the work reads. Queued work begins only while the work in progress reads few
   * enough bytes.
   */
  readonly bytes: number;
}

/** Does work synchronously, without a pause. */
export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Does work in several turns of the event loop, each a few milliseconds long. Concurrent calls take turns;
 * timers, connections and all other calls run in between.
 *
 * @throws the reason of the signal if it is aborted, and the errors of the work
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
