import type { ConnectError } from "@connectrpc/connect";
import { COMPRESSED_FLAG, type Envelope, envelopes } from "../protocol/envelope.ts";
import { toNodeHeaders } from "../protocol/headers.ts";
import { statusTrailers } from "../protocol/status-trailers.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { COMPRESS_MIN_BYTES, type Head, type Wire } from "./wire.ts";

/** The trailers of a successful call whose method sets no trailers. */
export const OK_TRAILERS = { "grpc-status": "0" };

/** Unary calls of gRPC over HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
export const grpcWire: Wire = {
  bodyReader: (_request, maxBytes) => new EnvelopeReader(maxBytes),
  response,
  errorResponse,
};

/** Returns a response with a message and OK trailers (Responses). */
function response(
  message: Uint8Array,
  head: Head,
  header: Headers,
  trailer?: Headers,
): WholeResponse | Promise<WholeResponse> {
  const headers = { ...toNodeHeaders(header), ...protocolHeaders("grpc", head) };
  const enveloped = (envelope: Envelope): WholeResponse => ({
    status: 200,
    headers,
    body: envelopes(envelope),
    trailers: trailer === undefined ? OK_TRAILERS : { ...toNodeHeaders(trailer), ...OK_TRAILERS },
  });
  const packed = pack(message, head);
  return packed instanceof Promise ? packed.then(enveloped) : enveloped(packed);
}

/**
 * Returns an error response. It consists of headers only (Responses, Trailers-Only), unless the method has
 * set headers.
 */
function errorResponse(error: ConnectError, head: Head, header: Headers | undefined): WholeResponse {
  const trailers = toNodeHeaders(statusTrailers(error));
  const own = header === undefined ? {} : toNodeHeaders(header);
  const body = new Uint8Array();
  const protocol = protocolHeaders("grpc", head);
  return Object.keys(own).length === 0
    ? { status: 200, headers: { ...trailers, ...protocol }, body }
    : { status: 200, headers: { ...own, ...protocol }, body, trailers };
}

/** Returns the response headers of gRPC or gRPC-Web. */
export function protocolHeaders(name: "grpc" | "grpc-web", head: Head): Record<string, string> {
  const headers: Record<string, string> = { "content-type": `application/${name}+${head.codec}` };
  if (head.responseCompression !== undefined) headers["grpc-encoding"] = head.responseCompression.name;
  return headers;
}

/** Wraps a message in an envelope, compressed if it is large enough. */
export function pack(
  bytes: Uint8Array,
  { responseCompression }: Head,
  flags = 0,
): Envelope | Promise<Envelope> {
  if (responseCompression === undefined || bytes.length < COMPRESS_MIN_BYTES) return [flags, bytes];
  return responseCompression.compress(bytes).then((compressed) => [flags | COMPRESSED_FLAG, compressed]);
}
