/**
 * Returns a function that runs a task on request, one run at a time. All requests that arrive during a run
 * share one further run, which sees the latest state. The task must not reject.
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
