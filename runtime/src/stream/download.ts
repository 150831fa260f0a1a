import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { DownloadAdapter } from "../adapter/adapter.ts";
import { chunkOf } from "../call/messages.ts";
import { open } from "../call/open.ts";
import type { RunningCall } from "../call/running-call.ts";

/** The maximum size of a chunk, in bytes. */
const MAX_CHUNK_BYTES = 64 * 1024;

/**
 * Yields the decompressed body of a response in chunks of at most 64 KiB, as they arrive. Reads from the
 * upstream only when the next chunk is requested. The first message also contains the fields that the adapter
 * takes from the head of the response; it is sent even if the body is empty.
 */
export async function* download(
  call: RunningCall<DownloadAdapter>,
  message: MessageShape<DescMessage>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
  const { head, chunks } = await open(call, call.request(message));
  let first = true;
  for await (const chunk of pieces(chunks)) {
    yield chunkOf(call, first ? head : undefined, chunk);
    first = false;
  }
  if (first) yield chunkOf(call, head, undefined);
  return undefined;
}

async function* pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MAX_CHUNK_BYTES) {
      yield chunk.subarray(at, at + MAX_CHUNK_BYTES);
    }
  }
}
