import type { Compression } from "@connectrpc/connect/protocol";
import { toNodeHeaders } from "../rpc/respond.ts";
import type { Answer } from "./answer.ts";
import { compressMinBytes, type Head } from "./head.ts";

/** The answer with a message (https://connectrpc.com/docs/protocol, Unary-Response). */
export function answer(message: Uint8Array, head: Head, header: Headers): Answer | Promise<Answer> {
  const headers = { ...toNodeHeaders(header), "content-type": `application/${head.codec}` };
  return withBody(200, headers, message, head.answerCompression);
}

/** An answer with a body, compressed where that is worth it. */
export function withBody(
  status: number,
  headers: Answer["headers"],
  body: Uint8Array,
  compression: Compression | undefined,
): Answer | Promise<Answer> {
  if (compression === undefined || body.length < compressMinBytes) return plain(status, headers, body);
  const encoded = { ...headers, "content-encoding": compression.name };
  return compression.compress(body).then((compressed) => plain(status, encoded, compressed));
}

function plain(status: number, headers: Answer["headers"], body: Uint8Array): Answer {
  return { status, headers: { ...headers, "content-length": String(body.length) }, body };
}
