import type { ConnectError } from "@connectrpc/connect";
import { toNodeHeaders } from "../protocol/headers.ts";
import { statusTrailers } from "../protocol/status-trailers.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { OK_TRAILERS, protocolHeaders } from "./grpc.ts";
import type { StreamEnd, StreamWire } from "./stream-wire.ts";

/** Server streams of gRPC over HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
export const grpcStreamWire: StreamWire = {
  bodyReader: (maxBytes) => new EnvelopeReader(maxBytes, 0, "server-streaming"),
  headers: (head) => protocolHeaders("grpc", head),
  end: (_head, trailer, error) => end(trailer, error),
};

/** Returns the trailers with the status (Responses). */
function end(trailer: Headers | undefined, error: ConnectError | undefined): StreamEnd {
  const own = trailer === undefined ? {} : toNodeHeaders(trailer);
  return {
    trailers: { ...own, ...(error === undefined ? OK_TRAILERS : toNodeHeaders(statusTrailers(error))) },
  };
}
