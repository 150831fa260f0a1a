import type { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { Answer } from "./answer.ts";
import { envelopes } from "./envelope-reader.ts";
import { pack, protocolHeaders } from "./grpc-answer.ts";
import type { Head } from "./head.ts";

/** The answer with an error: its trailers alone. */
export async function error(error: ConnectError, head: Head): Promise<Answer> {
  const trailers = trailerSerialize(setTrailerStatus(new Headers(), error));
  return {
    status: 200,
    headers: protocolHeaders("grpc-web", head),
    body: envelopes(await pack(trailers, head, trailerFlag)),
  };
}
