import type { ServerHttp2Stream } from "node:http2";

/** Listeners that a stream keeps: those of its connection. */
const KEPT = new WeakSet<object>();

/** Marks a listener as one that streams keep when they are parked. */
export function keepWhenParked<L extends (...values: never[]) => void>(listener: L): L {
  KEPT.add(listener);
  return listener;
}

/** By what Node's request and response are found from their stream. They are not public: without them, a stream is only larger. */
const OF_COMPAT = new Set(["request", "response"]);

/** Takes everything from a stream that belongs to its request and response, and to those who served them. */
export function strip(stream: ServerHttp2Stream): void {
  const kept = stream.eventNames().flatMap((name) => {
    const listeners = stream.rawListeners(name).filter((listener) => KEPT.has(listener));
    return listeners.map((listener) => [name, listener] as const);
  });
  // all at once: an object that properties are deleted from stays as large as it was
  stream.removeAllListeners();
  for (const [name, listener] of kept) stream.on(name, listener as () => void);
  for (const symbol of Object.getOwnPropertySymbols(stream)) {
    if (OF_COMPAT.has(symbol.description ?? "")) Reflect.set(stream, symbol, undefined);
  }
}
