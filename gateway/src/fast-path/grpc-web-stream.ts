import type { ConnectError } from "@connectrpc/connect";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { envelopes } from "../protocol/envelope.ts";
import { statusTrailers } from "../protocol/status-trailers.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { pack, protocolHeaders } from "./grpc.ts";
import { trailersOf } from "./grpc-web.ts";
import type { StreamEnd, StreamWire } from "./stream-wire.ts";
import type { Head } from "./wire.ts";

/** Server streams of gRPC-Web (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md). */
export const grpcWebStreamWire: StreamWire = {
  bodyReader: (maxBytes) => new EnvelopeReader(maxBytes, trailerFlag, "server-streaming"),
  headers: (head) => protocolHeaders("grpc-web", head),
  end,
};

/** Returns the trailers as the last frame (Protocol differences). */
async function end(
  head: Head,
  trailer: Headers | undefined,
  error: ConnectError | undefined,
): Promise<StreamEnd> {
  const trailers = error === undefined ? trailersOf(trailer) : failed(trailer, error);
  return { frame: envelopes(await pack(trailers, head, trailerFlag)) };
}

function failed(trailer: Headers | undefined, error: ConnectError): Uint8Array {
  const trailers = new Headers(trailer);
  statusTrailers(error).forEach((value, name) => {
    trailers.set(name, value);
  });
  return trailerSerialize(trailers);
}
