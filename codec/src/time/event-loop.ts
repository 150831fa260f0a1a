/** How many of those that wait go on in one turn of the event loop, however many there are. */
const RESUMED_PER_TURN = 2;

const WAITING = new Set<() => void>();
let isScheduled = false;

/**
 * Waits for a turn of the event loop. In each, timers and connections come first, and then a few of those
 * that wait here, in the order in which they came: a thousand streams that pause
 * take no longer a turn than two.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    WAITING.add(resolve);
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
  for (const go of WAITING) {
    WAITING.delete(go);
    go();
    if (++count === RESUMED_PER_TURN) break;
  }
  if (WAITING.size > 0) schedule();
}
