/** Listeners that have failed. A listener that fails once often fails again. */
const FAILED = new WeakSet<object>();

/**
 * Calls a listener of the program. A failing listener must not fail the call: the first time it throws or
 * rejects, the process emits a warning.
 *
 * @param name the option that contains the listener
 * @param of the object for which the warning is emitted only once; by default the listener
 */
export function notify<T, R>(
  name: string,
  listener: ((report: T) => R) | undefined,
  report: T,
  of: object | undefined = listener,
): R | undefined {
  if (listener === undefined) return undefined;
  const failed = (cause: unknown) => warn(name, of ?? listener, cause);
  try {
    const result = listener(report);
    if (result instanceof Promise) result.catch(failed);
    return result;
  } catch (cause) {
    failed(cause);
    return undefined;
  }
}

function warn(name: string, listener: object, cause: unknown): void {
  if (FAILED.has(listener)) return;
  FAILED.add(listener);
  const detail = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  process.emitWarning(`${name} failed; its further failures are not reported`, {
    type: "ConnectRestWarning",
    code: "LISTENER_FAILED",
    detail,
  });
}
