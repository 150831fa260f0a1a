import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { pool as bufferPool, inTurns } from "connect-rest-codec/internal";
import { type Call, runAs } from "../call/call.ts";
import { CallEnd } from "../call/call-end.ts";
import { bodyIdle, deadlineExceeded, errorForCaller, hungUp } from "../call/call-errors.ts";
import { sharedTimer } from "../listener/callbacks.ts";
import { type HttpRequest, incoming } from "../listener/http.ts";
import { requestHeaders } from "../protocol/headers.ts";
import type { Validation } from "../protocol/validate.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { isLarge, printMessage, printMessageInParts } from "./codec.ts";
import { checkWriteBytes } from "./message-limits.ts";
import { compressionOf, parseRequest, type ReadOptions } from "./read-message.ts";
import type { BodyReader, Head, RawMessage, Wire } from "./wire.ts";

/** What a unary method returns: a message as protobuf, headers, and trailers where it has some. */
export interface UnaryResult {
  readonly bytes: Uint8Array;
  readonly header: Headers;
  readonly trailer?: Headers;
}

/** What a call has beside its message. */
export interface UnaryContext {
  /** The headers of the request. */
  readonly header: () => Headers;
  /** Aborted at the deadline, and when the client is gone; its reason is a ConnectError. */
  readonly signal: AbortSignal;
  /**
   * Takes a listener that is called as the signal would be aborted, which then need not be made;
   * undefined for none.
   */
  readonly onCancel?: CallEnd["onCancel"];
  /** When the deadline passes, by `performance.now()`. */
  readonly expiresAt: number;
  /** Whether the client itself named a timeout. */
  readonly hasCallerDeadline: boolean;
}

/** Calls a unary method. Throws ConnectErrors; everything else is a defect. */
export type UnaryMethod = (message: MessageShape<DescMessage>, context: UnaryContext) => Promise<UnaryResult>;

/** A unary call whose head has been read. */
export interface UnaryCall {
  readonly wire: Wire;
  readonly head: Head;
  readonly method: UnaryMethod;
}

const CLOCK = { monotonic: () => performance.now() };

/** What all unary calls share. */
export interface UnaryOptions extends ReadOptions {
  readonly validation: Pick<Validation, "check">;
}

/** Learns how far a call is, and gets its response or a defect, once, unless its client is gone. */
export interface UnarySink {
  /** The message is there: the call goes on by `proceed`, now or later, or ends by `fail`. */
  arrived(): void;
  /** The method has responded. */
  answered(): void;
  /** Sends a response, with a message or with an error. */
  respond(result: WholeResponse): void;
  /** There is no response, for a defect of ours. */
  broke(defect: unknown): void;
}

// names apart from the calls: they are not registered by Callbacks, but guarded all the same
const DATA = "data";
const END = "end";

/**
 * One unary call from its body to its response, without connect's handler. It is one object, whose steps call
 * the next one as soon as it can begin: a promise is only where something has to be waited for, a signal
 * where somebody asks for it. It comes to an end at the deadline at the latest, whatever the method does.
 */
export class UnaryRun {
  private readonly unary: UnaryCall;
  private readonly call: Call;
  private readonly request: HttpRequest;
  private readonly options: UnaryOptions;
  private readonly sink: UnarySink;
  private readonly end = new CallEnd();
  private readonly expiresAt: number;
  /** While the body arrives. */
  private reader: BodyReader | undefined;
  /** When something of the body last arrived. */
  private arrivedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  /** The message, until the call may go on with it. */
  private message: { readonly bytes: Uint8Array; readonly problem: ConnectError | undefined } | undefined;
  /** What the method has returned. */
  private header: Headers | undefined;
  private isOver = false;

  constructor(unary: UnaryCall, call: Call, request: HttpRequest, options: UnaryOptions, sink: UnarySink) {
    this.unary = unary;
    this.call = call;
    this.request = request;
    this.options = options;
    this.sink = sink;
    this.expiresAt = call.startedAt + call.deadline.ms;
    call.signal = this.end;
  }

  start(): void {
    const now = performance.now();
    // its token was looked up
    if (now >= this.expiresAt) {
      this.fail(deadlineExceeded(this.call.deadline));
      return;
    }
    if (this.unary.head.problem !== undefined) {
      this.fail(this.unary.head.problem);
      return;
    }
    this.arrivedAt = now;
    this.wait(Math.min(this.expiresAt - now, this.options.limits.bodyIdleTimeoutMs));
    try {
      this.read();
    } catch (error) {
      this.fail(error);
    }
  }

  /** The client is gone before it had its response. */
  hungUp(): void {
    if (!this.isOver) this.over();
    this.end.end(hungUp(this.call));
  }

  private read(): void {
    const { head, wire } = this.unary;
    if (head.message !== undefined) {
      this.received({ bytes: head.message, isCompressed: head.requestCompression !== undefined });
      return;
    }
    this.reader = wire.bodyReader(this.request, this.options.limits.readMaxBytes);
    this.call.hold?.arriving(this.fail);
    incoming(this.request).on(DATA, this.onData).on(END, this.onEnd);
  }

  private readonly onData = (chunk: Uint8Array): void => {
    if (this.reader === undefined) return;
    const { call } = this;
    try {
      call.bytesIn += chunk.byteLength;
      this.arrivedAt = performance.now();
      call.hold?.add(chunk.byteLength);
      if (this.reader.push(chunk)) this.onEnd();
    } catch (error) {
      this.fail(error);
    }
  };

  private readonly onEnd = (): void => {
    const { reader } = this;
    if (reader === undefined) return;
    this.stopReading();
    try {
      this.received(reader.end());
    } catch (error) {
      this.fail(error);
    }
  };

  private received({ bytes, isCompressed, problem }: RawMessage): void {
    if (!isCompressed) {
      this.arrived(bytes, problem);
      return;
    }
    const plain = this.options.decompress(compressionOf(this.unary.head), bytes, this.call, this.end.signal);
    this.after(plain, (unpacked) => this.arrived(unpacked, problem));
  }

  private arrived(bytes: Uint8Array, problem: ConnectError | undefined): void {
    this.message = { bytes, problem };
    this.sink.arrived();
  }

  /** The call may run. */
  proceed(): void {
    const { message } = this;
    if (this.isOver || message === undefined) return;
    this.message = undefined;
    try {
      this.parse(message.bytes, message.problem);
    } catch (error) {
      this.fail(error);
    }
  }

  private parse(bytes: Uint8Array, problem: ConnectError | undefined): void {
    const { method } = this.call;
    const { message, cost } = parseRequest(method.input, this.unary.head.codec, bytes, this.options);
    if (problem !== undefined) throw problem;
    const loading = this.options.validation.check(method.input, message, cost);
    if (loading === undefined) {
      this.run(message);
    } else {
      this.after(loading, () => this.run(message));
    }
  }

  private run(message: MessageShape<DescMessage>): void {
    const { call } = this;
    const context = new RunningContext(call, this.request, this.end);
    try {
      const result = runAs(call, () => this.unary.method(message, context));
      result.then(this.onResult, this.onFailure);
    } catch (error) {
      this.onFailure(error);
    }
  }

  private readonly onFailure = (error: unknown): void => {
    this.sink.answered();
    if (this.isOver) return;
    this.call.failedInHandler = true;
    this.fail(error);
  };

  private readonly onResult = (result: UnaryResult): void => {
    this.sink.answered();
    if (this.isOver) return;
    this.header = result.header;
    const { head } = this.unary;
    const { output } = this.call.method;
    const { types } = this.options;
    try {
      if (!isLarge(head.codec, result.bytes, types)) {
        this.respond(result, printMessage(output, head.codec, result.bytes, types));
        return;
      }
      const parts = printMessageInParts(output, result.bytes, types);
      const printed = inTurns(parts, {
        signal: this.end.signal,
        clock: CLOCK,
        bytes: result.bytes.length,
      });
      this.after(printed, (bytes) => this.respond(result, bytes));
    } catch (error) {
      this.fail(error);
    }
  };

  private respond({ bytes, header, trailer }: UnaryResult, printed: Uint8Array): void {
    const { wire, head } = this.unary;
    replaced(bytes, printed);
    checkWriteBytes(printed.length, this.options.limits.writeMaxBytes);
    const response = wire.response(printed, head, header, trailer);
    if (response instanceof Promise) {
      this.after(response, (packed) => this.packed(printed, packed));
    } else {
      this.packed(printed, response);
    }
  }

  private packed(printed: Uint8Array, response: WholeResponse): void {
    replaced(printed, response.body);
    this.succeed(response);
  }

  private succeed(response: WholeResponse): void {
    this.over();
    this.sink.respond(response);
  }

  /** Ends the call with an error; its caller learns of a defect only that there is one. */
  readonly fail = (error: unknown): void => {
    if (this.isOver) return;
    this.over();
    const { sink } = this;
    const { wire, head } = this.unary;
    try {
      this.end.end(error);
      const response = wire.errorResponse(errorForCaller(error, this.call), head, this.header);
      if (response instanceof Promise) {
        response.then(
          (packed) => sink.respond(packed),
          (defect: unknown) => sink.broke(defect),
        );
      } else {
        sink.respond(response);
      }
    } catch (defect) {
      sink.broke(defect);
    }
  };

  /** Goes on with what had to be waited for, unless the call is over by then. */
  private after<T>(work: Promise<T>, next: (value: T) => void): void {
    const go = (value: T) => {
      if (!this.isOver) next(value);
    };
    work.then(go).catch(this.fail);
  }

  /** One timer for both, the deadline and a body that pauses, which is not started anew for each chunk. */
  private wait(ms: number): void {
    this.timer = sharedTimer(ms, onTimer, this);
  }

  due(): void {
    if (this.isOver) return;
    const { call, arrivedAt, expiresAt } = this;
    const { bodyIdleTimeoutMs } = this.options.limits;
    const now = performance.now();
    if (now >= expiresAt) {
      // while it waits, admission ends it then, and says for what it has waited
      if (this.message === undefined) this.fail(deadlineExceeded(call.deadline));
      return;
    }
    const idleLeft =
      this.reader === undefined ? Number.POSITIVE_INFINITY : arrivedAt + bodyIdleTimeoutMs - now;
    if (idleLeft <= 0) {
      this.fail(bodyIdle(bodyIdleTimeoutMs));
    } else {
      this.wait(Math.min(expiresAt - now, idleLeft));
    }
  }

  private over(): void {
    this.isOver = true;
    this.message = undefined;
    clearTimeout(this.timer);
    // what still arrives is dropped by whoever sends the response
    if (this.reader !== undefined) this.stopReading();
  }

  private stopReading(): void {
    this.reader = undefined;
    this.call.hold?.arrived();
    incoming(this.request).off(DATA, this.onData).off(END, this.onEnd);
  }
}

/** Nobody has a message any more once it is printed, compressed or in its envelope. */
function replaced(bytes: Uint8Array, by: Uint8Array): void {
  if (bytes.buffer !== by.buffer) bufferPool.release(bytes);
}

function onTimer(run: UnaryRun): void {
  run.due();
}

/** A class, since an object literal with a getter would get a hidden class of its own for each call. */
class RunningContext implements UnaryContext {
  readonly expiresAt: number;
  readonly hasCallerDeadline: boolean;
  readonly onCancel: CallEnd["onCancel"];
  private readonly request: HttpRequest;
  private readonly end: CallEnd;

  constructor({ startedAt, deadline }: Call, request: HttpRequest, end: CallEnd) {
    this.expiresAt = startedAt + deadline.ms;
    this.hasCallerDeadline = deadline.isClientBound;
    this.onCancel = end.onCancel;
    this.request = request;
    this.end = end;
  }

  get signal(): AbortSignal {
    return this.end.signal;
  }

  readonly header = (): Headers => requestHeaders(this.request);
}
