import { toNodeHeaders } from "../rpc/respond.ts";
import type { Answer } from "./answer.ts";
import { compressedFlag, envelopes } from "./envelope-reader.ts";
import { compressMinBytes, type Head } from "./head.ts";

const trailers = { "grpc-status": "0" };

/** The answer with a message (gRPC over HTTP/2, Responses). */
export function answer(message: Uint8Array, head: Head, header: Headers): Answer | Promise<Answer> {
  const headers = { ...toNodeHeaders(header), ...protocolHeaders("grpc", head) };
  const enveloped = ([flags, bytes]: Packed): Answer => ({
    status: 200,
    headers,
    body: envelopes([flags, bytes]),
    trailers,
  });
  const packed = pack(message, head);
  return packed instanceof Promise ? packed.then(enveloped) : enveloped(packed);
}

/** The headers that gRPC and gRPC-Web answer with. */
export function protocolHeaders(name: "grpc" | "grpc-web", head: Head): Record<string, string> {
  const headers: Record<string, string> = { "content-type": `application/${name}+${head.codec}` };
  if (head.answerCompression !== undefined) headers["grpc-encoding"] = head.answerCompression.name;
  return headers;
}

/** The flags of a message and its bytes, compressed or not. */
export type Packed = readonly [flags: number, bytes: Uint8Array];

/** Compresses what is large enough for it. */
export function pack(bytes: Uint8Array, { answerCompression }: Head, flags = 0): Packed | Promise<Packed> {
  if (answerCompression === undefined || bytes.length < compressMinBytes) return [flags, bytes];
  return answerCompression.compress(bytes).then((compressed) => [flags | compressedFlag, compressed]);
}
