import type { ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { endStreamFlag, endStreamToJson } from "@connectrpc/connect/protocol-connect";
import type { HttpRequest } from "../listener/http.ts";
import { BODY_BOUNDS, boundedError } from "../protocol/bounded-error.ts";
import { envelopes } from "../protocol/envelope.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { pack } from "./grpc.ts";
import { negotiate } from "./negotiate.ts";
import type { StreamEnd, StreamWire } from "./stream-wire.ts";
import type { Codec, Head } from "./wire.ts";

const CODECS: ReadonlyMap<string, Codec> = new Map([
  ["application/connect+proto", "proto"],
  ["application/connect+json", "json"],
]);

/** The end of a stream that has nothing to say. */
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

/** Reads the head of a streaming POST (Streaming-Request). Undefined for one that has something unusual in it. */
export function streamHead({ headers }: HttpRequest, compressions: readonly Compression[]): Head | undefined {
  const codec = CODECS.get(headers["content-type"] ?? "");
  const { "connect-content-encoding": used, "connect-accept-encoding": accepted } = headers;
  if (codec === undefined || Array.isArray(used) || Array.isArray(accepted)) return undefined;
  const chosen = negotiate(compressions, used, accepted);
  return chosen && { codec, ...chosen };
}

/** EndStreamResponse. */
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
