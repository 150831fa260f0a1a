/**
 * Runs a task again whenever it is asked for, one run after the other; of those that wait there is one, since
 * it will find what is there by then. The task must not reject.
 */
export function oneWaiting(task: () => Promise<void>): () => Promise<void> {
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      running = task();
      return running;
    });
    return next;
  };
}
