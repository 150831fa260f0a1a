import type { ServerHttp2Stream } from "node:http2";

/** Listeners that remain on a detached stream, because they serve its connection. */
const KEPT = new WeakSet<object>();

/** Marks a listener that remains on detached streams. */
export function keepWhenDetached<L extends (...values: never[]) => void>(listener: L): L {
  KEPT.add(listener);
  return listener;
}

/** Removes from a stream everything that belongs to its request, its response and their handlers. */
export function strip(stream: ServerHttp2Stream): void {
  const kept = stream.eventNames().flatMap((name) => {
    const listeners = stream.rawListeners(name).filter((listener) => KEPT.has(listener));
    return listeners.map((listener) => [name, listener] as const);
  });
  stream.removeAllListeners();
  for (const [name, listener] of kept) stream.on(name, listener as () => void);
}
