import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { pool as bufferPool, inTurns } from "connect-rest-codec/internal";
import { type Call, runAs } from "../call/call.ts";
import { CallEnd } from "../call/call-end.ts";
import { bodyIdle, deadlineExceeded, errorForCaller, hungUp } from "../call/call-errors.ts";
import { sharedTimer } from "../listener/callbacks.ts";
import { type HttpRequest, incoming } from "../listener/http.ts";
import { countChunk } from "../listener/read-turns.ts";
import { requestHeaders } from "../protocol/headers.ts";
import type { Validation } from "../protocol/validate.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { isLarge, printMessage, printMessageInParts } from "./codec.ts";
import { checkWriteBytes } from "./message-limits.ts";
import { compressionOf, parseRequest, type ReadOptions } from "./read-message.ts";
import type { BodyReader, Head, RawMessage, Wire } from "./wire.ts";

/** The result of a unary method: a message as protobuf, headers, and optional trailers. */
export interface UnaryResult {
  readonly bytes: Uint8Array;
  readonly header: Headers;
  readonly trailer?: Headers;
}

/** The context of a call, in addition to its message. */
export interface UnaryContext {
  /** The headers of the request. */
  readonly header: () => Headers;
  /** Aborted with a ConnectError at the deadline and when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Registers a listener for cancellation without creating the signal. Undefined if this is not supported.
   */
  readonly onCancel?: CallEnd["onCancel"];
  /** The time of the deadline, by `performance.now()`. */
  readonly expiresAt: number;
  /** Whether the client set a timeout. */
  readonly hasCallerDeadline: boolean;
}

/** A unary method. Rejects with a ConnectError; any other error is a defect. */
export type UnaryMethod = (message: MessageShape<DescMessage>, context: UnaryContext) => Promise<UnaryResult>;

/** A unary call whose request head has been read. */
export interface UnaryCall {
  readonly wire: Wire;
  readonly head: Head;
  readonly method: UnaryMethod;
}

const CLOCK = { monotonic: () => performance.now() };

/** The options that all unary calls share. */
export interface UnaryOptions extends ReadOptions {
  readonly validation: Pick<Validation, "check">;
}

/**
 * Receives the progress of a call, and then either its response or a defect. Receives neither if the client
 * disconnects first.
 */
export interface UnarySink {
  /** The message has arrived. `proceed` continues the call, immediately or later, and `fail` ends it. */
  arrived(): void;
  /** The method has responded. */
  answered(): void;
  /** Sends a response that contains a message or an error. */
  respond(result: WholeResponse): void;
  /** Reports that an internal defect prevents a response. */
  broke(defect: unknown): void;
}

// named constants, because Callbacks does not register these listeners; their callbacks still catch errors
const DATA = "data";
const END = "end";

/**
 * Runs one unary call from its body to its response, without connect's handler. To keep the cost per call
 * low, one object runs all steps, which call each other directly. Promises are created only to wait, and a
 * signal only on request. The call ends at the deadline at the latest, even if the method does not.
 */
export class UnaryRun {
  private readonly unary: UnaryCall;
  private readonly call: Call;
  private readonly request: HttpRequest;
  private readonly options: UnaryOptions;
  private readonly sink: UnarySink;
  private readonly end = new CallEnd();
  private readonly expiresAt: number;
  /** The reader of the body; set while the body arrives. */
  private reader: BodyReader | undefined;
  /** The time at which the latest bytes of the body arrived. */
  private arrivedAt = 0;
  private timer: NodeJS.Timeout | undefined;
  /** The message, which is kept until the call may proceed. */
  private message: { readonly bytes: Uint8Array; readonly problem: ConnectError | undefined } | undefined;
  /** The headers that the method has returned. */
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
    // the deadline may have passed while the token was looked up
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

  /** Called when the client disconnects before its response. */
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
      countChunk(this.request);
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

  /** Runs the call once it is admitted. */
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

  /** Ends the call with an error. For a defect, the caller gets an error without details. */
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

  /** Continues with the result of a promise, unless the call has ended. */
  private after<T>(work: Promise<T>, next: (value: T) => void): void {
    const go = (value: T) => {
      if (!this.isOver) next(value);
    };
    work.then(go).catch(this.fail);
  }

  /**
   * Starts one timer for both the deadline and the idle timeout of the body. The timer is not restarted for
   * each chunk.
   */
  private wait(ms: number): void {
    this.timer = sharedTimer(ms, onTimer, this);
  }

  due(): void {
    if (this.isOver) return;
    const { call, arrivedAt, expiresAt } = this;
    const { bodyIdleTimeoutMs } = this.options.limits;
    const now = performance.now();
    if (now >= expiresAt) {
      // while the call waits for admission, the admission ends it, with an error that names the limit
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
    // the response sender discards the rest of the body
    if (this.reader !== undefined) this.stopReading();
  }

  private stopReading(): void {
    this.reader = undefined;
    this.call.hold?.arrived();
    incoming(this.request).off(DATA, this.onData).off(END, this.onEnd);
  }
}

/**
 * Releases the buffer of a message once another buffer contains the message in printed, compressed or
 * enveloped form.
 */
function replaced(bytes: Uint8Array, by: Uint8Array): void {
  if (bytes.buffer !== by.buffer) bufferPool.release(bytes);
}

function onTimer(run: UnaryRun): void {
  run.due();
}

/** This is a class because object literals with a getter would each get a new hidden class. */
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
