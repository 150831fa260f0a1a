import type { EventEmitter } from "node:events";

/** A listener of an event; its arguments are the event's. */
export type Callback = (...values: never[]) => void;

/** A timer whose callback is guarded. */
export interface Timer {
  /** Starts it anew. */
  restart(): void;
  stop(): void;
}

/**
 * Registers callbacks so that what one of them throws goes to their owner, who ends one request, stream or
 * connection for it. Thrown from a bare callback it would end the process. Nothing in the paths of a request
 * registers one in another way, which a test holds.
 */
export class Callbacks {
  private readonly onThrow: (error: unknown) => void;

  /** @param onThrow gets what a callback throws; it must not throw itself */
  constructor(onThrow: (error: unknown) => void) {
    this.onThrow = onThrow;
  }

  /** Says what a callback threw that has a guard of its own. */
  fail(error: unknown): void {
    this.onThrow(error);
  }

  /** Calls back at every such event; the returned function ends that. */
  on(emitter: EventEmitter, event: string, callback: Callback): () => void {
    const guarded = this.listener(callback);
    emitter.on(event, guarded);
    return () => void emitter.off(event, guarded);
  }

  /** Calls back at the first such event; the returned function ends that. */
  once(emitter: EventEmitter, event: string, callback: Callback): () => void {
    const guarded = this.listener(callback);
    emitter.once(event, guarded);
    return () => void emitter.off(event, guarded);
  }

  /**
   * Calls back when the signal is aborted, which must not have happened yet; the returned function ends that.
   */
  onAbort(signal: AbortSignal, callback: () => void): () => void {
    const guarded = this.guarded(callback);
    signal.addEventListener("abort", guarded, { once: true });
    return () => signal.removeEventListener("abort", guarded);
  }

  /** Calls back after a time in milliseconds. */
  after(ms: number, callback: () => void): Timer {
    const timer = setTimeout(this.guarded(callback), ms);
    return { restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
  }

  /** Calls back again and again; does not keep the process running. */
  every(ms: number, callback: () => void): Timer {
    const timer = setInterval(this.guarded(callback), ms).unref();
    return { restart: () => void timer.refresh(), stop: () => clearInterval(timer) };
  }

  /** Calls back when what is due has been done. */
  soon(callback: () => void): void {
    setImmediate(this.guarded(callback));
  }

  private listener(callback: Callback): (...values: unknown[]) => void {
    return this.guarded(callback as (...values: unknown[]) => void);
  }

  /** The callback with the guard around it, for those who take it as an argument. */
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
 * A listener that many emitters have together, so that each costs no closure of its own; it gets the emitter
 * and the arguments of the event. What it throws goes to `onThrow`, which must not throw itself.
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

/** Calls a function with an argument after a time in milliseconds; what it throws goes to `onThrow`. */
export function sharedTimer<T>(ms: number, act: (argument: T) => void, argument: T): NodeJS.Timeout {
  return setTimeout(act, ms, argument);
}
