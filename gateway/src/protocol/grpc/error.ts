import type { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Answer } from "../unary/answer.ts";
import type { Head } from "../unary/head.ts";
import { toNodeHeaders } from "../write-response.ts";
import { protocolHeaders } from "./answer.ts";

/** The answer with an error: headers, and trailers with its status (gRPC over HTTP/2, Responses). */
export function error(error: ConnectError, head: Head): Answer {
  const trailers = setTrailerStatus(new Headers(), error);
  return {
    status: 200,
    headers: protocolHeaders("grpc", head),
    body: new Uint8Array(),
    trailers: toNodeHeaders(trailers),
  };
}
