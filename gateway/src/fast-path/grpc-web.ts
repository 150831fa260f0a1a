import type { ConnectError } from "@connectrpc/connect";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { type Envelope, envelopes } from "../protocol/envelope.ts";
import { toNodeHeaders } from "../protocol/headers.ts";
import { statusTrailers } from "../protocol/status-trailers.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { pack, protocolHeaders } from "./grpc.ts";
import type { Head, Wire } from "./wire.ts";

/** Created lazily for the first response, since `Headers` makes Node.js load an HTTP client. */
let okTrailers: Uint8Array | undefined;

/**
 * Unary calls of gRPC-Web (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md). Trailers that the
 * client sends are skipped.
 */
export const grpcWebWire: Wire = {
  bodyReader: (_request, maxBytes) => new EnvelopeReader(maxBytes, trailerFlag),
  response,
  errorResponse,
};

/** Returns a response with a message frame and a trailers frame (Protocol differences). */
function response(
  message: Uint8Array,
  head: Head,
  header: Headers,
  trailer?: Headers,
): WholeResponse | Promise<WholeResponse> {
  const headers = { ...toNodeHeaders(header), ...protocolHeaders("grpc-web", head) };
  const enveloped = (envelope: Envelope): WholeResponse => ({
    status: 200,
    headers,
    body: envelopes(envelope, [trailerFlag, trailersOf(trailer)]),
  });
  const packed = pack(message, head);
  return packed instanceof Promise ? packed.then(enveloped) : enveloped(packed);
}

/** Returns the trailers of a successful call as bytes. */
export function trailersOf(trailer: Headers | undefined): Uint8Array {
  if (trailer === undefined) {
    okTrailers ??= trailerSerialize(new Headers({ "grpc-status": "0" }));
    return okTrailers;
  }
  const trailers = new Headers(trailer);
  trailers.set("grpc-status", "0");
  return trailerSerialize(trailers);
}

/** Returns an error response, which consists of trailers only. */
async function errorResponse(
  error: ConnectError,
  head: Head,
  header: Headers | undefined,
): Promise<WholeResponse> {
  const trailers = trailerSerialize(statusTrailers(error));
  return {
    status: 200,
    headers: { ...(header && toNodeHeaders(header)), ...protocolHeaders("grpc-web", head) },
    body: envelopes(await pack(trailers, head, trailerFlag)),
  };
}
