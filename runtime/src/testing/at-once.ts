import type { Permit } from "../breaker/breaker.ts";

/** Returns the permit for a request, which must not have to wait for its turn. */
export function atOnce(admitted: Permit | Promise<Permit>): Permit {
  if (admitted instanceof Promise) throw new Error("the request waits for its turn");
  return admitted;
}
