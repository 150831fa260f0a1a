import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import { pack, protocolHeaders } from "../grpc/answer.ts";
import type { Answer } from "../unary/answer.ts";
import { envelopes } from "../unary/envelope.ts";
import type { Head } from "../unary/head.ts";
import { toNodeHeaders } from "../write-response.ts";

const ok = trailerSerialize(new Headers({ "grpc-status": "0" }));

/** The answer with a message, and with trailers as a second one (PROTOCOL-WEB, Protocol differences). */
export async function answer(message: Uint8Array, head: Head, header: Headers): Promise<Answer> {
  return {
    status: 200,
    headers: { ...toNodeHeaders(header), ...protocolHeaders("grpc-web", head) },
    body: envelopes(await pack(message, head), [trailerFlag, ok]),
  };
}
