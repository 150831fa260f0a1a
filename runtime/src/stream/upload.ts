import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { UploadAdapter } from "../adapter/adapter.ts";
import { messageOf } from "../call/messages.ts";
import type { RunningCall } from "../call/running-call.ts";
import { send } from "../call/send.ts";
import { restError } from "../errors/rest-error.ts";
import { headerValue } from "../request/header-value.ts";
import { fullName } from "../text/full-name.ts";
import { raced } from "../time/abort.ts";
import type { BodyStream } from "../upstream/outgoing.ts";
import { UploadBody } from "./upload-body.ts";

type AnyMessage = MessageShape<DescMessage>;

/**
 * Sends the chunks of a client stream as a request body, or as a part of one, while they arrive. Reads the
 * next message once the connection has accepted the previous one. The first message determines the request. A
 * response that arrives before the end of the stream ends the call.
 *
 * @returns the response message
 * @throws ConnectError reason REQUEST_STREAM_EMPTY for a stream without messages, and the errors of the
 *   stream
 */
export async function upload(
  call: RunningCall<UploadAdapter>,
  messages: AsyncIterable<AnyMessage>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { adapter, context } = call;
  const body = new UploadBody(messages, (message) =>
    call.adapted("reading a chunk", () => adapter.chunk(message)),
  );
  try {
    const first = await raced(body.first(), context.signal);
    if (first === undefined) throw restError("REQUEST_STREAM_EMPTY", { method: fullName(adapter.method) });
    const request = call.request(first);
    return messageOf(call, await send(call, request, { stream: streamOf(call, first, body) }));
  } catch (error) {
    throw body.failure === undefined ? error : body.failure.error;
  } finally {
    body.stop();
  }
}

function streamOf(
  call: RunningCall<UploadAdapter>,
  first: AnyMessage,
  chunks: AsyncIterable<Uint8Array>,
): BodyStream {
  const { contentType, part, filename } = call.adapted("reading the first message", () =>
    call.adapter.stream(first),
  );
  return { contentType: headerValue("content-type", contentType), part, filename, chunks };
}
