import { ConnectError, type Interceptor } from "@connectrpc/connect";
import { callKey, runAs } from "../call/call.ts";
import { codeOf } from "../call/gateway-error.ts";

/**
 * Makes the call known to the code behind it, for callbacks that do not get the call that they belong to, and notes
 * whether that code failed.
 */
export const callInterceptor: Interceptor = (next) => async (request) => {
  const call = request.contextValues.get(callKey);
  if (call === undefined) return next(request);
  const run = async <T>(work: () => Promise<T>) => {
    try {
      return await runAs(call, work);
    } catch (error) {
      // a handler that reads a stream passes on what is wrong with its messages
      call.failedInHandler = error instanceof ConnectError && codeOf(error) === error.code;
      throw error;
    }
  };
  const response = await run(() => next(request));
  return response.stream ? { ...response, message: within(response.message, run) } : response;
};

/** A stream's code runs when it is asked for the next message, so each time the call is made known anew. */
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
