import type { DescMessage, MessageShape, Registry } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { inTurns } from "connect-rest";
import { type Call, runAs } from "../call/call.ts";
import { CallEnd } from "../call/call-end.ts";
import { deadlineExceeded, hungUp } from "../call/call-errors.ts";
import { gatewayError, withReason } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import { Callbacks, type Timer } from "../listener/callbacks.ts";
import { type HttpRequest, type HttpResponse, isSent } from "../listener/http.ts";
import type { Decompress } from "../protocol/decompress.ts";
import { requestHeaders } from "../protocol/headers.ts";
import type { Validation } from "../protocol/validate.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { parseMessage, printMessage, printMessageInParts } from "./codec.ts";
import { checkReadBytes, checkWriteBytes } from "./message-limits.ts";
import { readBody } from "./read-body.ts";
import type { Head, RawMessage, Wire } from "./wire.ts";

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
  readonly onCancel: CallEnd["onCancel"];
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

/** Responses beyond this size are printed in turns of the event loop. */
const LARGE_BYTES = 64 * 1024;

const CLOCK = { monotonic: () => performance.now() };

/** What all unary calls share. */
export interface UnaryOptions {
  readonly limits: Limits;
  readonly validation: Pick<Validation, "check">;
  /** The types that a google.protobuf.Any may have. */
  readonly types: Registry;
  readonly decompress: Decompress;
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
  { limits, validation, types, decompress }: UnaryOptions,
  end: CallEnd,
): Promise<WholeResponse> {
  const { input, output } = call.method;
  const { readMaxBytes, bodyIdleTimeoutMs } = limits;
  const raw: RawMessage =
    head.message === undefined
      ? await readBody(request, wire.bodyReader(request, readMaxBytes), call, end, bodyIdleTimeoutMs)
      : { bytes: head.message, isCompressed: head.requestCompression !== undefined };
  const bytes = raw.isCompressed
    ? await decompress(compressionOf(head), raw.bytes, call, end.signal)
    : raw.bytes;
  checkReadBytes(bytes.length, readMaxBytes, true);
  const cost = { limit: limits.messageCost, depth: limits.messageDepth, types };
  const parsed = parseMessage(input, head.codec, bytes, cost);
  if (raw.problem !== undefined) throw raw.problem;
  const { message } = parsed;
  const loading = validation.check(input, message, parsed.cost);
  if (loading !== undefined) await loading;
  const result = await called(method, message, call, new RunningContext(call, request, end));
  const printed =
    result.bytes.length > LARGE_BYTES
      ? await inTurns(printMessageInParts(output, head.codec, result.bytes, types), {
          signal: end.signal,
          clock: CLOCK,
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

function compressionOf(head: Head): Compression {
  if (head.requestCompression !== undefined) return head.requestCompression;
  const text = "received compressed envelope, but do not know how to decompress";
  throw gatewayError("REQUEST_MALFORMED", text, Code.Internal);
}

/** The response with an error; the caller of a defect learns only that there is one. */
async function errorResponse(
  { wire, head }: UnaryCall,
  error: unknown,
  { failedInHandler }: Call,
): Promise<WholeResponse> {
  if (error instanceof ConnectError) {
    return wire.errorResponse(failedInHandler ? error : withReason(error), head);
  }
  const defect = gatewayError("GATEWAY_FAILED", "internal error", Code.Internal, [], error);
  return wire.errorResponse(defect, head);
}
