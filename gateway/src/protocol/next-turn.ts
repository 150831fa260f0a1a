/** How many streams go on in one turn of the event loop, however many there are. */
const RESUMED_PER_TURN = 2;

const PAUSED = new Set<() => void>();
let isScheduled = false;

/**
 * Lets timers, connections and other calls have their turn. In each turn of the event loop, few of the streams that pause
 * go on, in the order in which they came.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    PAUSED.add(resolve);
    schedule();
  });
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(resume);
}

function resume(): void {
  isScheduled = false;
  let count = 0;
  for (const go of PAUSED) {
    PAUSED.delete(go);
    go();
    if (++count === RESUMED_PER_TURN) break;
  }
  if (PAUSED.size > 0) schedule();
}
