import type { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { toNodeHeaders } from "../rpc/respond.ts";
import type { Answer } from "./answer.ts";
import { protocolHeaders } from "./grpc-answer.ts";
import type { Head } from "./head.ts";

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
