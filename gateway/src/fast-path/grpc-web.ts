import type { Compression } from "@connectrpc/connect/protocol";
import { trailerFlag } from "@connectrpc/connect/protocol-grpc-web";
import type { HttpRequest } from "../listener/http.ts";
import { EnvelopeIntake } from "./envelope-reader.ts";
import { grpcHead } from "./grpc.ts";
import type { Codec, Head } from "./head.ts";
import type { Intake } from "./wire.ts";

const codecs: ReadonlyMap<string, Codec> = new Map([
  ["application/grpc-web", "proto"],
  ["application/grpc-web+proto", "proto"],
  ["application/grpc-web+json", "json"],
]);

/**
 * Reads the head of a call (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md). Undefined for one that has
 * something else in it than usual.
 */
export function postHead({ headers }: HttpRequest, compressions: readonly Compression[]): Head | undefined {
  const codec = codecs.get(headers["content-type"] ?? "");
  return codec && grpcHead(codec, headers, compressions);
}

/** Takes a body that is one message in its envelope; trailers of the client are passed over. */
export function intake(_request: HttpRequest, maxBytes: number): Intake {
  return new EnvelopeIntake(maxBytes, trailerFlag);
}
