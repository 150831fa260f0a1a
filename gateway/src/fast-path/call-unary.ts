import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { inTurns } from "connect-rest";
import { type Call, runAs } from "../call/call.ts";
import { CallEnd } from "../call/call-end.ts";
import { deadlineExceeded, errorForCaller, hungUp } from "../call/call-errors.ts";
import { Callbacks, type Timer } from "../listener/callbacks.ts";
import { type HttpRequest, type HttpResponse, isSent } from "../listener/http.ts";
import { requestHeaders } from "../protocol/headers.ts";
import type { Validation } from "../protocol/validate.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { LARGE_BYTES, printMessage, printMessageInParts } from "./codec.ts";
import { checkWriteBytes } from "./message-limits.ts";
import { type ReadOptions, readMessage } from "./read-message.ts";
import type { Head, Wire } from "./wire.ts";

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
  /** Takes a listener that is called as the signal would be aborted, which then need not be made; undefined for none. */
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

/**
 * Runs one unary call from its body to its response, without connect's handler. Resolves at the deadline at the latest,
 * whatever the method does; with undefined when the client is gone. Rejects when an error cannot be written.
 */
export function callUnary(
  unary: UnaryCall,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: UnaryOptions,
): Promise<WholeResponse | undefined> {
  const end = new CallEnd();
  call.signal = end;
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    const succeed = (result: WholeResponse) => {
      timer?.stop();
      resolve(result);
    };
    const fail = (error: unknown) => {
      timer?.stop();
      end.end(error);
      errorResponse(unary, error, call).then(resolve, reject);
    };
    // The call may have waited before it came here.
    const leftMs = Math.max(0, call.startedAt + call.deadline.ms - performance.now());
    const expire = () => fail(deadlineExceeded(call.deadline));
    if (leftMs <= 0) {
      expire();
      return;
    }
    const callbacks = new Callbacks(reject);
    timer = callbacks.after(leftMs, expire);
    callbacks.once(response, "close", () => {
      timer?.stop();
      // an error is costly to make, and nobody listens any more once all is sent
      if (isSent(response)) return;
      end.end(hungUp(call));
      resolve(undefined);
    });
    run(unary, call, request, options, end).then(succeed, fail);
  });
}

/** Read, decompress, parse, validate, call, print: each fails with a ConnectError, or with a defect. */
async function run(
  { wire, head, method }: UnaryCall,
  call: Call,
  request: HttpRequest,
  options: UnaryOptions,
  end: CallEnd,
): Promise<WholeResponse> {
  const { limits, validation, types } = options;
  const { input, output } = call.method;
  const reader = (maxBytes: number) => wire.bodyReader(request, maxBytes);
  const { message, cost, problem } = await readMessage(call, request, head, reader, options, end);
  if (problem !== undefined) throw problem;
  const loading = validation.check(input, message, cost);
  if (loading !== undefined) await loading;
  const result = await called(method, message, call, new RunningContext(call, request, end));
  const printed =
    result.bytes.length > LARGE_BYTES
      ? await inTurns(printMessageInParts(output, head.codec, result.bytes, types), {
          signal: end.signal,
          clock: CLOCK,
          bytes: result.bytes.length,
        })
      : printMessage(output, head.codec, result.bytes, types);
  checkWriteBytes(printed.length, limits.writeMaxBytes);
  return wire.response(printed, head, result.header, result.trailer);
}

async function called(
  method: UnaryMethod,
  message: MessageShape<DescMessage>,
  call: Call,
  context: UnaryContext,
): Promise<UnaryResult> {
  try {
    return await runAs(call, () => method(message, context));
  } catch (error) {
    call.failedInHandler = true;
    throw error;
  }
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

/** The response with an error; the caller of a defect learns only that there is one. */
async function errorResponse({ wire, head }: UnaryCall, error: unknown, call: Call): Promise<WholeResponse> {
  return wire.errorResponse(errorForCaller(error, call), head);
}
