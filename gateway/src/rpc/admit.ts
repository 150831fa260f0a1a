import type { Admission, UpstreamShare } from "../admission/admission.ts";
import type { Refused } from "../admission/refused.ts";
import type { Watchers } from "../admission/watchers.ts";
import type { Call } from "../call/call.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { type Exchange, type HttpResponse, outgoing } from "../listener/http.ts";

/**
 * The third step of a call: asks admission whether it may run. Undefined when it may; a promise only where it has to
 * wait, which stays pending when the client is gone meanwhile. The call's place is given back when its response closes.
 */
export function admit(
  call: Call,
  response: HttpResponse,
  admission: Admission,
  share: UpstreamShare | undefined,
  onError: (error: unknown) => void,
): Refused | undefined | Promise<Refused | undefined> {
  let isDecided = false;
  let decision: Refused | undefined;
  let settle: ((decision: Refused | undefined) => void) | undefined;
  const decide = (refused?: Refused) => {
    isDecided = true;
    decision = refused;
    settle?.(refused);
  };
  const leave = admission.enter({
    client: call.client,
    deadlineAt: call.startedAt + call.deadline.ms,
    share,
    isUnary: call.method.methodKind === "unary",
    run: decide,
    refuse: decide,
  });
  new Callbacks(onError).once(outgoing(response), "close", leave);
  if (isDecided) return decision;
  return new Promise((resolve) => {
    settle = resolve;
  });
}

/**
 * The same for a call that watches a feed: it never waits, and is no request in flight any more. Its place is given back when
 * it leaves, or to another client while it runs.
 */
export function admitWatch(call: Call, watchers: Watchers, exchange: Exchange): Refused | undefined {
  const refused = watchers.enter(call);
  if (refused === undefined) exchange.uncount();
  return refused;
}
