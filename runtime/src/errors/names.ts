import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import { fullName } from "../text/full-name.ts";

/** What the text of an error calls a method and its upstream. */
export function namesOf({ method, rules }: Pick<AnyMethodAdapter, "method" | "rules">) {
  return { upstream: rules.upstream, method: fullName(method) };
}
