import type { Compression } from "@connectrpc/connect/protocol";
import { type HttpRequest, isHttp2 } from "../listener/http.ts";
import { EnvelopeIntake } from "./envelope-reader.ts";
import type { Codec, Head } from "./head.ts";
import { negotiate } from "./negotiate.ts";
import type { Intake } from "./wire.ts";

const codecs: ReadonlyMap<string, Codec> = new Map([
  ["application/grpc", "proto"],
  ["application/grpc+proto", "proto"],
  ["application/grpc+json", "json"],
]);

/**
 * Reads the head of a call (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Requests). Undefined for one
 * that has something else in it than usual, and where there is no HTTP/2 for the trailers.
 */
export function postHead(request: HttpRequest, compressions: readonly Compression[]): Head | undefined {
  const { headers } = request;
  const codec = codecs.get(headers["content-type"] ?? "");
  return codec !== undefined && isHttp2(request) ? grpcHead(codec, headers, compressions) : undefined;
}

/** The head of a call of gRPC and gRPC-Web, whose codec is known. */
export function grpcHead(
  codec: Codec,
  headers: HttpRequest["headers"],
  compressions: readonly Compression[],
): Head | undefined {
  const { "grpc-encoding": used, "grpc-accept-encoding": accepted } = headers;
  if (Array.isArray(used) || Array.isArray(accepted)) return undefined;
  const chosen = negotiate(compressions, used, accepted);
  return chosen && { codec, ...chosen };
}

/** Takes a body that is one message in its envelope. */
export function intake(_request: HttpRequest, maxBytes: number): Intake {
  return new EnvelopeIntake(maxBytes);
}
