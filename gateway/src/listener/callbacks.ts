import type { EventEmitter } from "node:events";

/** An event listener; its arguments are the arguments of the event. */
export type Callback = (...values: never[]) => void;

/** A timer whose callback is guarded. */
export interface Timer {
  /** Restarts the timer. */
  restart(): void;
  stop(): void;
}

/**
 * Registers callbacks and passes their errors to the callbacks' owner, which ends the affected request,
 * stream or connection. An error thrown by an unguarded callback would end the process. All code on the path
 * of a request registers callbacks through this class, which a test enforces.
 */
export class Callbacks {
  private readonly onThrow: (error: unknown) => void;

  /** @param onThrow receives the errors thrown by callbacks; must not throw itself */
  constructor(onThrow: (error: unknown) => void) {
    this.onThrow = onThrow;
  }

  /** Reports an error caught by a callback that is not registered here. */
  fail(error: unknown): void {
    this.onThrow(error);
  }

  /** Calls the callback on every such event; the returned function unregisters the callback. */
  on(emitter: EventEmitter, event: string, callback: Callback): () => void {
    const guarded = this.listener(callback);
    emitter.on(event, guarded);
    return () => void emitter.off(event, guarded);
  }

  /** Calls the callback on the first such event; the returned function unregisters the callback. */
  once(emitter: EventEmitter, event: string, callback: Callback): () => void {
    const guarded = this.listener(callback);
    emitter.once(event, guarded);
    return () => void emitter.off(event, guarded);
  }

  /**
   * Calls the callback when the signal is aborted; the signal must not be aborted yet. The returned function
   * unregisters the callback.
   */
  onAbort(signal: AbortSignal, callback: () => void): () => void {
    const guarded = this.guarded(callback);
    signal.addEventListener("abort", guarded, { once: true });
    return () => signal.removeEventListener("abort", guarded);
  }

  /** Calls the callback after a delay in milliseconds. Bytes that have arrived by then are read first. */
  after(ms: number, callback: () => void): Timer {
    return timerOf(this.guarded(callback), (due) => setTimeout(due, ms));
  }

  /** Calls the callback periodically; the timer does not keep the process running. */
  every(ms: number, callback: () => void): Timer {
    return timerOf(this.guarded(callback), (due) => setInterval(due, ms).unref());
  }

  /** Calls the callback before the event loop continues, so before more bytes are received. */
  next(callback: () => void): void {
    process.nextTick(this.guarded(callback));
  }

  /** Calls the callback after all work that is already scheduled. */
  soon(callback: () => void): void {
    setImmediate(this.guarded(callback));
  }

  private listener(callback: Callback): (...values: unknown[]) => void {
    return this.guarded(callback as (...values: unknown[]) => void);
  }

  /** Wraps a callback in a guard, for functions that take a callback. */
  guarded<T extends Callback>(callback: T): (...values: Parameters<T>) => void {
    return (...values) => {
      try {
        callback(...values);
      } catch (error) {
        this.onThrow(error);
      }
    };
  }
}

/**
 * Returns a timer whose callback, when it is due, waits until sockets have been read. After the process was
 * suspended or busy, timers run before the bytes that arrived in the meantime are read. These bytes may
 * restart or stop the timer.
 */
function timerOf(callback: () => void, start: (due: () => void) => NodeJS.Timeout): Timer {
  let waiting: NodeJS.Immediate | undefined;
  const timer = start(() => {
    waiting = setImmediate(callback);
  });
  const drop = () => clearImmediate(waiting);
  return {
    restart: () => {
      drop();
      timer.refresh();
    },
    stop: () => {
      drop();
      clearTimeout(timer);
    },
  };
}

/**
 * Creates a listener that many emitters share, so that each emitter needs no separate closure. The listener
 * receives the emitter and the arguments of the event. Errors that it throws are passed to `onThrow`, which
 * must not throw itself.
 */
export function sharedListener<E, A extends readonly unknown[] = []>(
  act: (emitter: E, ...values: A) => void,
  onThrow: (emitter: E, error: unknown) => void,
): (this: E, ...values: A) => void {
  return function guarded(this: E, ...values: A) {
    try {
      act(this, ...values);
    } catch (error) {
      onThrow(this, error);
    }
  };
}

/**
 * Calls a function with an argument after a delay in milliseconds. Bytes that have arrived by then are read
 * first. Stopping the timer does not stop a call that is due. The function must catch its errors.
 */
export function sharedTimer<T>(ms: number, act: (argument: T) => void, argument: T): NodeJS.Timeout {
  return setTimeout(setImmediate<[T]>, ms, act, argument);
}
