import type { DescMethod } from "@bufbuild/protobuf";
import type { AccessRejection } from "connect-rest-authorization";
import { pool as bufferPool } from "connect-rest-codec/internal";
import type { QueuedCall, UpstreamShare } from "../admission/admission.ts";
import type { Reservation } from "../admission/held-bytes.ts";
import type { ResponseReservation } from "../admission/held-responses.ts";
import type { Call } from "../call/call.ts";
import { type Caller, REQUEST_ID_HEADER } from "../call/caller.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import { type UnaryCall, UnaryRun, type UnarySink } from "../fast-path/call-unary.ts";
import { failExchange } from "../listener/exchange.ts";
import {
  cut,
  type Exchange,
  type ExchangeListener,
  type HttpRequest,
  type HttpResponse,
  isGone,
  isSent,
  isTaken,
} from "../listener/http.ts";
import { reject as rejectRequest } from "../protocol/reject.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { authenticate } from "./authenticate.ts";
import type { CallOptions } from "./call-options.ts";
import type { Sender } from "./outbox.ts";
import { noteOverLimit } from "./place.ts";
import { CALM, deny, rejectToSend } from "./reject-call.ts";
import { respond, SLICE_BYTES, sendAtOnce } from "./respond.ts";
import { beginCall, leftUnserved } from "./serve-call.ts";

/** A unary call on the fast path whose caller has not been identified yet. */
export interface UnaryParts {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly exchange: Exchange;
  readonly method: DescMethod;
  readonly unary: UnaryCall;
  /** Whether the common response headers, such as the request ID, are already set. */
  readonly hasHeaders: boolean;
}

/**
 * Serves one unary call with the steps of `serveCall` in the same order: authenticate, admit, call, respond.
 */
export function serveUnary(parts: UnaryParts, client: Caller, options: CallOptions): void {
  new ServedUnary(parts, client, options).start();
}

/**
 * A unary call in progress. Nearly all calls are unary, so each is a single object that receives callbacks
 * and needs no promises, signals or closures.
 */
class ServedUnary implements QueuedCall, ExchangeListener, UnarySink, Sender {
  readonly isUnary = true;
  deadlineAt = 0;
  share: UpstreamShare | undefined;
  client: string;
  private readonly parts: UnaryParts;
  private readonly options: CallOptions;
  private readonly caller: Caller;
  private call: Call | undefined;
  private running: UnaryRun | undefined;
  private hold: Reservation | undefined;
  private responseReservation: ResponseReservation | undefined;
  private leave: (() => void) | undefined;
  private result: WholeResponse | undefined;
  /** The body of the response that is being sent. */
  private body: Uint8Array | undefined;
  private isAlwaysServed = false;
  private isOver = false;

  constructor(parts: UnaryParts, caller: Caller, options: CallOptions) {
    this.parts = parts;
    this.options = options;
    this.caller = caller;
    this.client = caller.client;
  }

  start(): void {
    const { request, method } = this.parts;
    const found = authenticate(request, this.caller, method, this.options.authenticate);
    if (found instanceof Promise) {
      found.then((caller) => this.begin(caller)).catch((defect: unknown) => this.broke(defect));
    } else {
      this.begin(found);
    }
  }

  private begin(caller: Caller | AccessRejection): void {
    const { request, response, exchange, method } = this.parts;
    const { options } = this;
    if ("error" in caller) {
      this.setHeaders();
      deny(request, response, caller);
      options.onRejected(caller.status);
      return;
    }
    const call = beginCall(method, request, caller, options);
    this.call = call;
    this.hold = call.hold;
    this.client = call.key;
    // the client may have disconnected while the token was looked up
    if (isGone(response)) {
      this.left(call);
      return;
    }
    exchange.listen(this);
    this.isAlwaysServed = options.isAlwaysServed(method.parent);
    const rejected = this.isAlwaysServed ? undefined : options.admission.rejection();
    if (rejected !== undefined) {
      this.sent(rejected);
      return;
    }
    this.running = new UnaryRun(this.parts.unary, call, request, options, this);
    this.running.start();
  }

  arrived(): void {
    const { call, options, parts } = this;
    if (call === undefined || this.isOver) return;
    if (this.isAlwaysServed) {
      this.run();
      return;
    }
    this.deadlineAt = call.startedAt + call.deadline.ms;
    this.share = options.shareOf(parts.method);
    this.leave = options.admission.enter(this);
  }

  /** Called once the call is admitted, either immediately or after waiting. */
  run(): void {
    if (!this.isOver) this.running?.proceed();
  }

  reject(problem: LimitRejection): void {
    if (this.call === undefined || this.isOver) return;
    this.running?.fail(noteOverLimit(this.call, problem).error);
  }

  answered(): void {
    this.leave?.();
    this.leave = undefined;
  }

  respond(result: WholeResponse): void {
    this.answered();
    this.result = result;
    if ("stream" in this.parts.response) {
      // an HTTP/2 session already writes the output of all its streams at the end of the turn
      this.sendNow();
    } else {
      this.options.outbox.add(this);
    }
  }

  sendNow(): void {
    const { result, call } = this;
    this.result = undefined;
    if (this.isOver || result === undefined || call === undefined) return;
    try {
      this.send(result, call);
    } catch (defect) {
      this.broke(defect);
    }
  }

  private send(result: WholeResponse, call: Call): void {
    const { response } = this.parts;
    if (isGone(response)) {
      this.done();
      return;
    }
    const cutOff = () => cut(response, CALM);
    const hold = this.options.heldResponses.begin(call.key, cutOff);
    this.responseReservation = hold;
    this.body = result.body;
    if (result.body.length > SLICE_BYTES) {
      this.setHeaders();
      const sent = respond(response, result, call, hold);
      sent.then(
        (unsent) => this.sent(unsent),
        (defect: unknown) => this.broke(defect),
      );
      return;
    }
    const rejected = hold.add(result.body.length);
    if (rejected !== undefined) {
      this.sent(rejected);
      return;
    }
    call.bytesOut += result.body.length;
    sendAtOnce(response, result, this.parts.hasHeaders ? undefined : call.requestId);
  }

  private sent(rejected: LimitRejection | undefined): void {
    const { call, parts } = this;
    if (this.isOver || call === undefined) return;
    if (rejected === undefined) {
      this.done();
      return;
    }
    this.setHeaders();
    rejectToSend(parts.request, parts.response, rejected.error);
    this.options.onOverLimit(call, rejected);
    this.release();
  }

  /** Reports an internal defect that prevents creating or sending the response. */
  broke(defect: unknown): void {
    const { request, response } = this.parts;
    if (this.isOver) return;
    failExchange(request, response, rejectRequest);
    if (this.call === undefined) {
      this.options.onError(defect);
      this.release();
    } else {
      this.done(defect);
    }
  }

  finished(): void {
    const { body } = this;
    if (body === undefined) return;
    this.body = undefined;
    this.done();
    if (isTaken(this.parts.response)) bufferPool.release(body);
  }

  closed(): void {
    this.answered();
    const { call } = this;
    if (call === undefined || this.isOver) return;
    // once the whole response is sent, no error is created: creating one is expensive, and nothing would
    // receive it
    if (!isSent(this.parts.response)) this.running?.hungUp();
    this.done();
  }

  /** Reports that the client disconnected before the call ran. */
  private left(call: Call): void {
    this.release();
    leftUnserved(call, this.parts.response, this.options);
  }

  private done(defect?: unknown): void {
    const { call, options } = this;
    if (this.isOver || call === undefined) return;
    this.release();
    options.onDone(call, this.parts.response.statusCode, defect);
  }

  private release(): void {
    this.isOver = true;
    this.hold?.release();
    this.responseReservation?.release();
  }

  /** Sets the common response headers of a response that is not sent in one call. */
  private setHeaders(): void {
    const { response, hasHeaders } = this.parts;
    if (!hasHeaders && !response.headersSent) response.setHeader(REQUEST_ID_HEADER, this.caller.requestId);
  }
}
