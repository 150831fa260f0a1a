import type { DescMethod } from "@bufbuild/protobuf";
import type { AccessRejection, Authenticate, Subject } from "connect-rest-authorization";
import type { Caller } from "../call/caller.ts";
import type { HttpRequest } from "../listener/http.ts";

/**
 * The second step of a call: identifies the caller. Without `authorization` in the configuration, the caller
 * is the client address that the listener determined. With it, the caller is the subject of the request's
 * token, and a call without a valid token is rejected.
 *
 * @param method undefined if the path names no method
 */
export function authenticate(
  request: HttpRequest,
  caller: Caller,
  method: DescMethod | undefined,
  check: Authenticate | undefined,
): Caller | AccessRejection | Promise<Caller | AccessRejection> {
  const found = check?.(request, method);
  return found instanceof Promise ? found.then((each) => callerOf(caller, each)) : callerOf(caller, found);
}

function callerOf(caller: Caller, found: Subject | AccessRejection | undefined): Caller | AccessRejection {
  if (found === undefined || "error" in found) return found ?? caller;
  return { ...caller, subject: found };
}
