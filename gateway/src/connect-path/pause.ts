import { setImmediate } from "node:timers/promises";

/** Lets timers, connections and other calls have their turn. */
export function pause(): Promise<void> {
  return setImmediate();
}
