import type { ConnectError } from "@connectrpc/connect";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";
import type { Misshapen } from "./empty.ts";

/** Returns the error for a response whose shape prevents reading it. */
export function shapeError(
  { method, rules }: AnyMethodAdapter,
  { path, expected, got }: Misshapen,
): ConnectError {
  return restError("RESPONSE_SHAPE", {
    upstream: rules.upstream,
    method: fullName(method),
    path,
    expected,
    got,
  });
}
