import type { DescMessage, MessageShape, Registry } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { restoreKeys } from "../protocol/escaped-keys.ts";

/** Restores the original keys of messages that were parsed from JSON. */
export function createKeysInterceptor(types: Registry): Interceptor {
  return (next) => (request) => {
    const { input } = request.method;
    if (request.stream) return next({ ...request, message: restored(input, request.message, types) });
    restoreKeys(input, request.message, types);
    return next(request);
  };
}

async function* restored(
  desc: DescMessage,
  messages: AsyncIterable<MessageShape<DescMessage>>,
  types: Registry,
): AsyncIterable<MessageShape<DescMessage>> {
  for await (const message of messages) {
    restoreKeys(desc, message, types);
    yield message;
  }
}
