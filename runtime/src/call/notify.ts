/** Listeners that have failed already: a listener that fails once fails often. */
const FAILED = new WeakSet<object>();

/**
 * Calls a listener of the program's. One that fails must not fail the call: what it throws, or what its
 * promise is rejected with, is a warning of the process, the first time.
 *
 * @param name the option that has the listener
 * @param of what is warned of once; by default the listener
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
