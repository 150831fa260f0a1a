import type { DescMethod } from "@bufbuild/protobuf";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import type { Reservation } from "../admission/held-bytes.ts";
import type { ResponseReservation } from "../admission/held-responses.ts";
import type { Call } from "../call/call.ts";
import { hungUp } from "../call/call-errors.ts";
import type { Caller } from "../call/caller.ts";
import { callerKey } from "../call/caller-key.ts";
import { deadlineOf, timeoutHeader } from "../call/deadline.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import { protocolOf } from "../call/protocol.ts";
import { DetachedWatch } from "../fast-path/detached-watch.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { failExchange } from "../listener/exchange.ts";
import {
  cut,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  isGone,
  outgoing,
} from "../listener/http.ts";
import { reject as rejectRequest } from "../protocol/reject.ts";
import { startCallTrace } from "../trace/call-trace.ts";
import { authenticate } from "./authenticate.ts";
import type { CallOptions } from "./call-options.ts";
import { dispatch, type Way } from "./dispatch.ts";
import { noteOverLimit, Place } from "./place.ts";
import { CALM, deny, reject, rejectToSend } from "./reject-call.ts";
import type { Unresolved } from "./resolve.ts";
import { respond } from "./respond.ts";

/** The handler of a request, and facts about the call. */
export interface Wanted extends Way {
  /** The handler that the path names. */
  readonly handler: UniversalHandler | Unresolved;
}

/**
 * Serves one call, step by step. A detached stream outlives this function. Unary calls on the fast path have
 * a separate implementation (`serve-unary.ts`). Never rejects.
 */
export async function serveCall(
  request: HttpRequest,
  response: HttpResponse,
  client: Caller,
  exchange: Exchange,
  { handler, ...way }: Wanted,
  options: CallOptions,
): Promise<void> {
  let call: Call | undefined;
  let hold: Reservation | undefined;
  let responseReservation: ResponseReservation | undefined;
  try {
    const method = "error" in handler ? undefined : handler.method;
    const found = authenticate(request, client, method, options.authenticate);
    const caller = found instanceof Promise ? await found : found;
    if ("error" in caller) {
      deny(request, response, caller);
      options.onRejected(caller.status);
      return;
    }

    if ("error" in handler) {
      reject(request, response, handler.error, handler.status);
      options.onRejected(handler.status);
      return;
    }

    const begun = beginCall(handler.method, request, caller, options);
    call = begun;
    hold = begun.hold;
    options.authorizedStreams?.enter(call);
    // the client may have disconnected while the token was looked up
    if (isGone(response)) {
      leftUnserved(call, response, options);
      return;
    }
    const problem = admit(call, options);
    if (problem !== undefined) {
      const rejected = noteOverLimit(call, problem);
      reject(request, response, rejected.error, codeToHttpStatus(rejected.error.code));
      options.onOverLimit(call, rejected);
      return;
    }
    // a call that watches a feed is not a request in flight any more
    if (options.isWatch(call.method)) exchange.uncount();
    const { place } = call;
    if (place !== undefined) {
      new Callbacks(options.onError).once(outgoing(response), "close", () => place.giveBack());
    }

    const result = await dispatch(handler, way, call, request, response, exchange, options);

    if (result instanceof DetachedWatch) {
      result.begin(whenOver(call, hold, options));
      hold = undefined;
      call = undefined;
      return;
    }
    responseReservation = options.heldResponses.begin(call.key, () => cut(response, CALM));
    const unsent = result && (await respond(response, result, call, responseReservation));
    if (unsent === undefined) {
      options.onDone(call, response.statusCode);
    } else {
      rejectToSend(request, response, unsent.error);
      options.onOverLimit(call, unsent);
    }
  } catch (error) {
    failExchange(request, response, rejectRequest);
    if (call === undefined) {
      options.onError(error);
    } else {
      options.onDone(call, response.statusCode, error);
    }
  } finally {
    hold?.release();
    if (call !== undefined) leave(call, options);
    responseReservation?.release();
  }
}

/** Reports a call whose client disconnected before the call ran. */
export function leftUnserved(call: Call, response: HttpResponse, { onDone }: CallOptions): void {
  call.signal = { aborted: true, reason: hungUp(call) };
  onDone(call, response.statusCode);
}

/**
 * Returns the callback for the end of a detached stream. This is a separate function so that its closure
 * retains nothing else.
 */
function whenOver(call: Call, hold: Reservation, options: CallOptions): (defect?: unknown) => void {
  return (defect) => {
    hold.release();
    leave(call, options);
    options.onDone(call, PARKED_STATUS, defect);
  };
}

/** Releases the slots that `admit` and `authorizedStreams` gave a call. */
export function leave(call: Call, { watchers, authorizedStreams }: CallOptions): void {
  watchers.leave(call);
  authorizedStreams?.leave(call);
}

/** The HTTP status of a detached stream. */
const PARKED_STATUS = 200;

/**
 * The third step of a call: returns the rejection, or undefined if the request may be read. A call that
 * watches a feed holds a watcher slot until it ends or another caller displaces it. Any other call takes its
 * slot once its message is complete.
 */
export function admit(
  call: Call,
  { admission, watchers, isAlwaysServed, isWatch, shareOf }: CallOptions,
): LimitRejection | undefined {
  const { method } = call;
  if (isAlwaysServed(method.parent)) return undefined;
  if (isWatch(method)) return watchers.enter(call);
  const rejected = admission.rejection();
  if (rejected === undefined) call.place = new Place(call, admission, shareOf(method));
  return rejected;
}

/** Creates the record of a call at its start. */
export function beginCall(
  method: DescMethod,
  request: HttpRequest,
  caller: Caller,
  options: CallOptions,
): Call & { readonly hold: Reservation } {
  const { headers } = request;
  const key = callerKey(caller);
  const protocol = protocolOf(headers["content-type"]);
  const timeout = headers[timeoutHeader(protocol)]?.toString();
  return {
    key,
    requestId: caller.requestId,
    client: caller.client,
    subject: caller.subject,
    method,
    protocol,
    startedAt: performance.now(),
    deadline: deadlineOf(timeout, protocol, method, options.methodTimeout(method), options.limits),
    hold: options.heldBytes.begin(key),
    trace: startCallTrace(method, protocol, caller, request),
    challenge: options.challenge,
    bytesIn: 0,
    bytesOut: 0,
    messageCost: 0,
    requests: 0,
    retries: 0,
    upstreamStatus: undefined,
    failedInHandler: false,
    signal: undefined,
  };
}
