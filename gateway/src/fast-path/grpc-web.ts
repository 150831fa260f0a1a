import type { ConnectError } from "@connectrpc/connect";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { type Envelope, envelopes } from "../protocol/envelope.ts";
import { toNodeHeaders } from "../protocol/headers.ts";
import { statusTrailers } from "../protocol/status-trailers.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { pack, protocolHeaders } from "./grpc.ts";
import type { Head, Wire } from "./wire.ts";

/** Made with the first response: Node.js loads a client of HTTP for Headers. */
let okTrailers: Uint8Array | undefined;

/**
 * Unary calls of gRPC-Web (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md). Trailers of the
 * client are skipped.
 */
export const grpcWebWire: Wire = {
  bodyReader: (_request, maxBytes) => new EnvelopeReader(maxBytes, trailerFlag),
  response,
  errorResponse,
};

/** Response with a message, and with its trailers as a second one (Protocol differences). */
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

/** The trailers of a call that has not failed, as bytes. */
export function trailersOf(trailer: Headers | undefined): Uint8Array {
  if (trailer === undefined) {
    okTrailers ??= trailerSerialize(new Headers({ "grpc-status": "0" }));
    return okTrailers;
  }
  const trailers = new Headers(trailer);
  trailers.set("grpc-status", "0");
  return trailerSerialize(trailers);
}

/** Response with an error: its trailers alone. */
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
