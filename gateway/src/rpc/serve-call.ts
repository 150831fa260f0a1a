import { constants } from "node:http2";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { codeToHttpStatus } from "@connectrpc/connect/protocol-connect";
import type { Authenticate, Denial } from "connect-rest-authorization";
import type { Admission, UpstreamShare } from "../admission/admission.ts";
import type { HeldBytes, Hold } from "../admission/held-bytes.ts";
import type { HeldResponses, ResponseHold } from "../admission/held-responses.ts";
import type { Refused } from "../admission/refused.ts";
import type { Watchers } from "../admission/watchers.ts";
import type { Call } from "../call/call.ts";
import { deadlineExceeded, hungUp } from "../call/call-errors.ts";
import type { Caller } from "../call/caller.ts";
import { clientKey } from "../call/client-key.ts";
import { deadlineOf, type MethodTimeout, timeoutHeader } from "../call/deadline.ts";
import { protocolOf } from "../call/protocol.ts";
import { ParkedWatch } from "../fast-path/parked-watch.ts";
import { failExchange } from "../listener/exchange.ts";
import {
  cut,
  type Exchange,
  type HttpRequest,
  type HttpResponse,
  isGone,
  sendResponse,
} from "../listener/http.ts";
import { UNCACHED } from "../listener/refusal.ts";
import { errorResponse } from "../protocol/error-response.ts";
import { refuse as refuseRequest } from "../protocol/refuse.ts";
import { startCallTrace } from "../trace/call-trace.ts";
import { admit, admitWatch } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import { type DispatchOptions, dispatch, type Way } from "./dispatch.ts";
import type { Outbox } from "./outbox.ts";
import type { Unresolved } from "./resolve.ts";
import { respond } from "./respond.ts";

/** The code of HTTP/2 with which a response is cut that takes too much memory for too long. */
export const CALM = constants.NGHTTP2_ENHANCE_YOUR_CALM;

/** What the steps of a call need. */
export interface CallOptions extends DispatchOptions {
  /** Finds out whose a call is. Undefined: callers are not authorized. */
  readonly authenticate: Authenticate | undefined;
  readonly methodTimeout: MethodTimeout;
  readonly admission: Admission;
  /** The streams that watch feeds. */
  readonly watchers: Watchers;
  /** Whether a method watches a feed: it may wait for hours, and is not counted with other calls. */
  readonly isWatch: (method: DescMethod) => boolean;
  /** What all calls hold of their requests. */
  readonly heldBytes: HeldBytes;
  /** What all calls hold of their responses. */
  readonly heldResponses: HeldResponses;
  /** What unary calls of the fast path send their responses by. */
  readonly outbox: Outbox;
  /** The upstream that a method calls; undefined for none. */
  readonly shareOf: (method: DescMethod) => UpstreamShare | undefined;
  /** Services whose calls are taken however busy the gateway is. */
  readonly isAlwaysServed: (service: DescService) => boolean;
  /** Notified of the HTTP status of a request that names no method, or a protocol that it does not speak. */
  readonly onRejected: (status: number) => void;
  /** Notified of every call that was not admitted, after its response. */
  readonly onRefused: (call: Call, refused: Refused) => void;
  /** Notified of every call that was admitted, once its response is out; `error` is a defect of ours. */
  readonly onDone: (call: Call, status: number, error?: unknown) => void;
  /** Notified of a defect before there was a call, and beside it. */
  readonly onError: (error: unknown) => void;
}

/** What a request is for. */
export interface Wanted extends Way {
  /** What its path names. */
  readonly handler: UniversalHandler | Unresolved;
}

/**
 * The path of one call, step by step, from its request to its response; a stream that is parked goes on
 * without it. Unary calls of the fast path have one of their own (`serve-unary.ts`). Never rejects.
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
  let hold: Hold | undefined;
  let responseHold: ResponseHold | undefined;
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
      refuse(request, response, handler.error, handler.status);
      options.onRejected(handler.status);
      return;
    }

    hold = options.heldBytes.begin(clientKey(caller.client));
    call = beginCall(handler.method, request, caller, options, hold);
    // its client may be gone while its token was looked up
    const admission = isGone(response) ? "gone" : admissionOf(handler, call, response, exchange, options);
    const problem = admission instanceof Promise ? await admission : admission;
    if (problem === "gone") {
      leftUnserved(call, response, options);
      return;
    }
    if (problem !== undefined) {
      const refused = isDue(call) ? { ...problem, error: deadlineExceeded(call.deadline) } : problem;
      refuse(request, response, refused.error, codeToHttpStatus(refused.error.code));
      options.onRefused(call, refused);
      return;
    }

    const result = await dispatch(handler, way, call, request, response, exchange, options);

    if (result instanceof ParkedWatch) {
      result.begin(whenOver(call, hold, options));
      hold = undefined;
      call = undefined;
      return;
    }
    responseHold = options.heldResponses.begin(caller.client, () => cut(response, CALM));
    const unsent = result && (await respond(response, result, call, responseHold));
    if (unsent === undefined) {
      options.onDone(call, response.statusCode);
    } else {
      refuseToSend(request, response, unsent.error);
      options.onRefused(call, unsent);
    }
  } catch (error) {
    failExchange(request, response, refuseRequest);
    if (call === undefined) {
      options.onError(error);
    } else {
      options.onDone(call, response.statusCode, error);
    }
  } finally {
    hold?.release();
    if (call !== undefined) options.watchers.leave(call);
    responseHold?.release();
  }
}

/** Notes a call whose client is gone before it ran. */
export function leftUnserved(call: Call, response: HttpResponse, { onDone }: CallOptions): void {
  call.signal = { aborted: true, reason: hungUp(call) };
  onDone(call, response.statusCode);
}

/** What is done when a parked stream has ended; apart, so that it holds nothing else. */
function whenOver(call: Call, hold: Hold, options: CallOptions): (defect?: unknown) => void {
  return (defect) => {
    hold.release();
    options.watchers.leave(call);
    options.onDone(call, PARKED_STATUS, defect);
  };
}

/** The HTTP status of a stream that is parked. */
const PARKED_STATUS = 200;

function admissionOf(
  { service }: UniversalHandler,
  call: Call,
  response: HttpResponse,
  exchange: Exchange,
  options: CallOptions,
): ReturnType<typeof admit> {
  const { admission, watchers, onError } = options;
  if (options.isAlwaysServed(service)) return undefined;
  return options.isWatch(call.method)
    ? admitWatch(call, watchers, exchange)
    : admit(call, response, admission, options.shareOf(call.method), onError);
}

/** Whether the deadline of a call has passed, give or take a timer's tick. */
export function isDue({ startedAt, deadline }: Call): boolean {
  return performance.now() - startedAt >= deadline.ms - 1;
}

/** What is known about a call when it begins. */
export function beginCall(
  method: DescMethod,
  request: HttpRequest,
  caller: Caller,
  options: CallOptions,
  hold: Hold,
): Call {
  const { headers } = request;
  const protocol = protocolOf(headers["content-type"]);
  const timeout = headers[timeoutHeader(protocol)]?.toString();
  return {
    requestId: caller.requestId,
    client: caller.client,
    subject: caller.subject,
    method,
    protocol,
    startedAt: performance.now(),
    deadline: deadlineOf(timeout, protocol, method, options.methodTimeout(method), options.limits),
    hold,
    trace: startCallTrace(method, protocol, caller, request),
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

/** Sends an error in place of a response; cuts one that has begun. */
export function refuseToSend(request: HttpRequest, response: HttpResponse, error: ConnectError): void {
  if (response.headersSent) {
    cut(response, CALM);
  } else {
    refuse(request, response, error, codeToHttpStatus(error.code));
  }
}

/** Sends an error in place of a call. */
export function refuse(
  request: HttpRequest,
  response: HttpResponse,
  error: ConnectError,
  httpStatus: number,
): void {
  const contentType = request.headers["content-type"];
  const { status, headers, body } = errorResponse(protocolOf(contentType), contentType, error, httpStatus);
  sendResponse(response, status, headers, body);
}

/**
 * Refuses a request that is not authorized, with the HTTP status that every client understands (RFC 6750
 * section 3), also where the protocol would say it in a body; only gRPC has no other way than its own.
 */
export function deny(
  request: HttpRequest,
  response: HttpResponse,
  { error, status, headers: challenge }: Denial,
): void {
  const contentType = request.headers["content-type"];
  const protocol = protocolOf(contentType);
  const type = protocol === "connect" ? undefined : contentType;
  const { status: own, headers, body } = errorResponse(protocol, type, error, status);
  sendResponse(response, own, { ...headers, ...UNCACHED, ...challenge }, body);
}
