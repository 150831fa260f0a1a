import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { type CallPlace, callKey } from "../call/call.ts";

type Messages = AsyncIterable<MessageShape<DescMessage>>;

/**
 * Takes a slot for a call once its message has arrived (for client streams, the first message), and releases
 * the slot once the handler has responded.
 */
export const placeInterceptor: Interceptor = (next) => async (request) => {
  const place = request.contextValues.get(callKey)?.place;
  if (place === undefined) return next(request);
  try {
    if (!request.stream) {
      await place.take(request.signal);
      const response = await next(request);
      place.giveBack();
      return response;
    }
    const response = await next({ ...request, message: placed(request.message, place, request.signal) });
    return response.stream ? { ...response, message: givingBack(response.message, place) } : response;
  } catch (error) {
    place.giveBack();
    throw error;
  }
};

/**
 * Yields the client's messages. After the first message, or at the end of an empty stream, waits for the
 * slot.
 */
async function* placed(messages: Messages, place: CallPlace, signal: AbortSignal) {
  let isPlaced = false;
  for await (const message of messages) {
    if (!isPlaced) await place.take(signal);
    isPlaced = true;
    yield message;
  }
  if (!isPlaced) await place.take(signal);
}

async function* givingBack(messages: Messages, place: CallPlace) {
  try {
    yield* messages;
  } finally {
    place.giveBack();
  }
}
