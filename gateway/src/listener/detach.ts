import type { ServerHttp2Stream } from "node:http2";

/** Listeners that a stream keeps: those of its connection. */
const KEPT = new WeakSet<object>();

/** Marks a listener as one that streams keep when they are detached. */
export function keepWhenDetached<L extends (...values: never[]) => void>(listener: L): L {
  KEPT.add(listener);
  return listener;
}

/** Takes everything from a stream that belongs to its request and response, and to those who served them. */
export function strip(stream: ServerHttp2Stream): void {
  const kept = stream.eventNames().flatMap((name) => {
    const listeners = stream.rawListeners(name).filter((listener) => KEPT.has(listener));
    return listeners.map((listener) => [name, listener] as const);
  });
  stream.removeAllListeners();
  for (const [name, listener] of kept) stream.on(name, listener as () => void);
}
