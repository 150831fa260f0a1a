import type { ConnectError } from "@connectrpc/connect";
import { endStreamFlag, endStreamToJson } from "@connectrpc/connect/protocol-connect";
import { BODY_BOUNDS, boundedError } from "../protocol/bounded-error.ts";
import { envelopes } from "../protocol/envelope.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { pack } from "./grpc.ts";
import type { StreamEnd, StreamWire } from "./stream-wire.ts";
import type { Head } from "./wire.ts";

/** The end of a successful stream without trailers. */
const OK_FRAME = envelopes([endStreamFlag, Buffer.from("{}")]);

/** Server streams of the Connect protocol (https://connectrpc.com/docs/protocol, Streaming RPCs). */
export const connectStreamWire: StreamWire = {
  bodyReader: (maxBytes) => new EnvelopeReader(maxBytes, endStreamFlag, "server-streaming"),
  headers: ({ codec, responseCompression }) => ({
    "content-type": `application/connect+${codec}`,
    ...(responseCompression && { "connect-content-encoding": responseCompression.name }),
  }),
  end,
};

/** Returns the EndStreamResponse frame. */
async function end(
  head: Head,
  trailer: Headers | undefined,
  error: ConnectError | undefined,
): Promise<StreamEnd> {
  if (trailer === undefined && error === undefined) return { frame: OK_FRAME };
  const bounded = error && boundedError(error, BODY_BOUNDS);
  const json = JSON.stringify(endStreamToJson(new Headers(trailer), bounded, undefined));
  return { frame: envelopes(await pack(Buffer.from(json), head, endStreamFlag)) };
}
