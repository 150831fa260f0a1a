import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type Call, runAs } from "../call/call.ts";
import { deadlineExceeded } from "../connect-path/race.ts";
import type { Limits } from "../limits.ts";
import { type HttpRequest, type HttpResponse, isSent } from "../listener/http.ts";
import { requestHeaders } from "../protocol/headers.ts";
import type { Validation } from "../protocol/validate.ts";
import { type Answer, sendAnswer } from "./answer.ts";
import { parseMessage, printMessage } from "./codec.ts";
import type { Head } from "./head.ts";
import { checkReadBytes, checkWriteBytes } from "./message-limits.ts";
import { readBody } from "./read-body.ts";
import type { Intaken, Wire } from "./wire.ts";

/** What a unary method answers: a message as protobuf, and headers. */
export interface UnaryOutcome {
  readonly bytes: Uint8Array;
  readonly header: Headers;
}

/** What a call has beside its message. */
export interface UnaryContext {
  /** The headers of the request. */
  readonly header: () => Headers;
  /** Aborted at the deadline, and when the client is gone; its reason is a ConnectError. */
  readonly signal: AbortSignal;
  /** When the deadline passes, by `performance.now()`. */
  readonly expiresAt: number;
}

/** Calls a unary method. Throws ConnectErrors; everything else is a defect. */
export type UnaryMethod = (
  message: MessageShape<DescMessage>,
  context: UnaryContext,
) => Promise<UnaryOutcome>;

/** A unary call whose head has been read. */
export interface UnaryCall {
  readonly wire: Wire;
  readonly head: Head;
  readonly method: UnaryMethod;
}

/** What all unary calls share. */
export interface UnaryOptions {
  readonly limits: Limits;
  readonly validation: Pick<Validation, "check">;
}

/**
 * Runs one unary call from its body to its answer, without connect's handler. Answers at the deadline, whatever the
 * method does. Resolves when the answer is out or the client is gone.
 */
export async function serveUnary(
  unary: UnaryCall,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: UnaryOptions,
): Promise<void> {
  const abort = new AbortController();
  call.signal = abort.signal;
  const answer = await answered(unary, call, request, response, options, abort);
  if (answer !== undefined) await sendAnswer(response, answer, call, options.limits.stalledWriteMs);
}

/** The answer; undefined when the client is gone. */
function answered(
  unary: UnaryCall,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: UnaryOptions,
  abort: AbortController,
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      abort.abort(error);
      errorAnswer(unary, error).then(resolve, reject);
    };
    // The call may have waited before it came here.
    const leftMs = Math.max(0, call.startedAt + call.deadline.ms - performance.now());
    const expire = () => fail(deadlineExceeded(call.deadline));
    if (leftMs <= 0) {
      expire();
      return;
    }
    const timer = setTimeout(expire, leftMs);
    response.once("close", () => {
      clearTimeout(timer);
      // an error is costly to make, and nobody listens any more once all is sent
      if (isSent(response)) return;
      abort.abort(new ConnectError("the client hung up", Code.Canceled));
      resolve(undefined);
    });
    run(unary, call, request, options, abort.signal)
      .then(resolve, fail)
      .finally(() => clearTimeout(timer));
  });
}

async function run(
  { wire, head, method }: UnaryCall,
  call: Call,
  request: HttpRequest,
  { limits, validation }: UnaryOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { input, output } = call.method;
  const taken: Intaken =
    head.message === undefined
      ? await readBody(
          request,
          wire.intake(request, limits.readMaxBytes),
          call,
          signal,
          limits.bodyIdleTimeoutMs,
        )
      : { bytes: head.message, isCompressed: head.requestCompression !== undefined };
  const bytes = taken.isCompressed ? await decompress(taken.bytes, head, limits.readMaxBytes) : taken.bytes;
  checkReadBytes(bytes.length, limits.readMaxBytes, true);
  const message = parseMessage(input, head.codec, bytes, limits.messageDepth);
  if (taken.problem !== undefined) throw taken.problem;
  validation.check(input, message);
  const expiresAt = call.startedAt + call.deadline.ms;
  const context = { header: () => requestHeaders(request), signal, expiresAt };
  const outcome = await runAs(call, () => method(message, context));
  const printed = printMessage(output, head.codec, outcome.bytes);
  checkWriteBytes(printed.length, limits.writeMaxBytes);
  return wire.answer(printed, head, outcome.header);
}

async function decompress(bytes: Uint8Array, head: Head, maxBytes: number): Promise<Uint8Array> {
  if (head.requestCompression !== undefined) return head.requestCompression.decompress(bytes, maxBytes);
  const text = "received compressed envelope, but do not know how to decompress";
  throw new ConnectError(text, Code.Internal);
}

/** The answer with an error; of a defect, callers get that there is one. Rejects when it cannot be written. */
async function errorAnswer({ wire, head }: UnaryCall, error: unknown): Promise<Answer> {
  if (error instanceof ConnectError) return wire.error(error, head);
  return wire.error(new ConnectError("internal error", Code.Internal, undefined, undefined, error), head);
}
