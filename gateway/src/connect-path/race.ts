import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type StreamResponse } from "@connectrpc/connect";
import { reasonOf } from "connect-rest-runtime";
import { callKey } from "../call/call.ts";
import { DEADLINE_REASON, deadlineExceeded, drainingError, stoppedWith } from "../call/call-errors.ts";
import type { Deadline } from "../call/deadline.ts";
import { gatewayError } from "../call/gateway-error.ts";
import { Callbacks } from "../listener/callbacks.ts";

/**
 * Ends a call as soon as its signal is aborted, even if its handler ignores the signal. Streams also end when
 * `streamsEnd` is aborted.
 */
export function createRaceInterceptor(streamsEnd: AbortSignal): Interceptor {
  return (next) => async (request) => {
    const deadline = request.contextValues.get(callKey)?.deadline;
    const stop = () => abortError(request.signal, deadline);
    const worded = <T>(work: Promise<T>) =>
      work.catch((error) => Promise.reject(inOurWords(error, deadline)));
    if (!request.stream) return raced(worded(next(request)), request.signal, stop);
    const ends = AbortSignal.any([request.signal, streamsEnd]);
    const stopStream = () => (request.signal.aborted ? stop() : drainingError());
    const race = <T>(work: Promise<T>) => raced(worded(work), ends, stopStream);
    const response = await race(next(request));
    return response.stream ? { ...response, message: racedStream(response, race) } : response;
  };
}

/**
 * Returns the gateway's error for an exceeded deadline. The runtime enforces the same deadline and may report
 * it first; callers get the same message in both cases.
 */
function inOurWords(error: unknown, deadline: Deadline | undefined): unknown {
  const isDeadline = error instanceof ConnectError && reasonOf(error) === DEADLINE_REASON;
  return isDeadline && deadline !== undefined ? deadlineExceeded(deadline) : error;
}

function abortError(signal: AbortSignal, deadline: Deadline | undefined): ConnectError {
  const reason: unknown = signal.reason;
  const error =
    reason instanceof ConnectError
      ? reason
      : gatewayError("CANCELED", "the call was canceled", Code.Canceled);
  return error.code === Code.DeadlineExceeded && deadline !== undefined ? deadlineExceeded(deadline) : error;
}

/**
 * Settles as the work does, or rejects with `stop()` once the signal is aborted. Work that reacts to the
 * signal in the same event-loop turn can still reject with a different error.
 */
export function raced<T>(work: Promise<T>, signal: AbortSignal, stop: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const callbacks = new Callbacks(reject);
    const abort = () => callbacks.soon(() => reject(stop()));
    const off = callbacks.onAbort(signal, abort);
    const fail = (error: unknown) => reject(signal.aborted ? stoppedWith(stop(), error) : error);
    const finish = (value: T) => (signal.aborted ? reject(stop()) : resolve(value));
    work.then(finish, fail).finally(off);
    if (signal.aborted) reject(stop());
  });
}

async function* racedStream(
  response: StreamResponse<DescMessage, DescMessage>,
  race: <T>(work: Promise<T>) => Promise<T>,
): AsyncGenerator<MessageShape<DescMessage>> {
  const iterator = response.message[Symbol.asyncIterator]();
  let done = false;
  try {
    for (;;) {
      const result = await race(iterator.next());
      done = result.done === true;
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    // Not awaited, because a handler that ignores its signal would block the call here.
    if (!done) iterator.return?.().catch(() => undefined);
  }
}
