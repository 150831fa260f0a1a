import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import { fullName } from "../text/full-name.ts";

/** Returns the names of a method and of its upstream, for error messages. */
export function namesOf({ method, rules }: Pick<AnyMethodAdapter, "method" | "rules">) {
  return { upstream: rules.upstream, method: fullName(method) };
}
