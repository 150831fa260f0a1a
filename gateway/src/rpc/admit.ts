import type { Admission, UpstreamShare } from "../admission/admission.ts";
import type { Refused } from "../admission/refused.ts";
import type { Watchers } from "../admission/watchers.ts";
import type { Call } from "../call/call.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { type Exchange, type HttpResponse, outgoing } from "../listener/http.ts";

/** What a call comes to that may not run: it is refused, or its client is gone. */
export type NotAdmitted = Refused | "gone";

/**
 * The third step of a call: asks admission whether it may run. Undefined when it may; a promise only where it
 * has to wait. The call's place is given back when its response closes.
 */
export function admit(
  call: Call,
  response: HttpResponse,
  admission: Admission,
  share: UpstreamShare | undefined,
  onError: (error: unknown) => void,
): NotAdmitted | undefined | Promise<NotAdmitted | undefined> {
  let isDecided = false;
  let decision: Refused | undefined;
  let settle: ((decision: NotAdmitted | undefined) => void) | undefined;
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
  new Callbacks(onError).once(outgoing(response), "close", () => {
    leave();
    settle?.("gone");
  });
  if (isDecided) return decision;
  return new Promise((resolve) => {
    settle = resolve;
  });
}

/**
 * The same for a call that watches a feed: it never waits, and is no request in flight any more. Its place is
 * given back when it leaves, or to another client while it runs.
 */
export function admitWatch(call: Call, watchers: Watchers, exchange: Exchange): Refused | undefined {
  const refused = watchers.enter(call);
  if (refused === undefined) exchange.uncount();
  return refused;
}
