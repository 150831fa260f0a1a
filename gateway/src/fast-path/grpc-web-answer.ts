import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { toNodeHeaders } from "../rpc/respond.ts";
import type { Answer } from "./answer.ts";
import { envelopes } from "./envelope-reader.ts";
import { pack, protocolHeaders } from "./grpc-answer.ts";
import type { Head } from "./head.ts";

const ok = trailerSerialize(new Headers({ "grpc-status": "0" }));

/** The answer with a message, and with trailers as a second one (PROTOCOL-WEB, Protocol differences). */
export async function answer(message: Uint8Array, head: Head, header: Headers): Promise<Answer> {
  return {
    status: 200,
    headers: { ...toNodeHeaders(header), ...protocolHeaders("grpc-web", head) },
    body: envelopes(await pack(message, head), [trailerFlag, ok]),
  };
}
