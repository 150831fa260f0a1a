import { ConnectError, type Interceptor, type StreamRequest } from "@connectrpc/connect";
import { callKey, runAs } from "../call/call.ts";
import { withChallenge } from "../call/gateway-error.ts";

/**
 * Makes the call available to the handler's code, even to callbacks that do not receive the call as an
 * argument, and records whether the handler failed.
 */
export const callInterceptor: Interceptor = (next) => async (request) => {
  const call = request.contextValues.get(callKey);
  if (call === undefined) return next(request);
  const unreadable = new Set<unknown>();
  const run = async <T>(work: () => Promise<T>) => {
    try {
      return await runAs(call, work);
    } catch (error) {
      // a handler that reads a stream rethrows the errors in its messages
      call.failedInHandler = error instanceof ConnectError && !unreadable.has(error) && !isOfConnect(error);
      throw error instanceof ConnectError ? withChallenge(error, call.challenge) : error;
    }
  };
  const response = await run(() => next(request.stream ? noting(request, unreadable) : request));
  return response.stream ? { ...response, message: within(response.message, run) } : response;
};

/**
 * Returns whether connect itself created an error, because a request message is missing or there are too
 * many.
 */
function isOfConnect({ rawMessage, details }: ConnectError): boolean {
  return details.length === 0 && rawMessage.startsWith("protocol error: ");
}

/** Returns the request with wrapped messages, to collect the errors of reading them. */
function noting(request: StreamRequest, unreadable: Set<unknown>): StreamRequest {
  async function* messages() {
    try {
      yield* request.message;
    } catch (error) {
      unreadable.add(error);
      throw error;
    }
  }
  return { ...request, message: messages() };
}

/**
 * Sets the current call for each step of a stream, since the handler's code runs whenever the next message is
 * requested.
 */
function within<T>(
  messages: AsyncIterable<T>,
  run: <R>(work: () => Promise<R>) => Promise<R>,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = messages[Symbol.asyncIterator]();
      const end = iterator.return?.bind(iterator);
      return {
        next: () => run(() => iterator.next()),
        ...(end === undefined ? {} : { return: () => run(() => end()) }),
      };
    },
  };
}
