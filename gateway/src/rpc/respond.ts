import { constants } from "node:http2";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { Call } from "../call/call.ts";
import { type HttpResponse, isGone, outgoing } from "../listener/http.ts";

/** Bytes that a client must take in one `stalledWriteMs`. */
export const sliceBytes = 64 * 1024;

/**
 * Writes an answer: headers with the first chunk, so that the handler could still set them, then chunk by chunk
 * as the client reads, then trailers. Resolves when all is handed to the connection or the client is gone; a
 * client that does not read for `stalledMs` is cut off.
 */
export async function writeResponse(
  response: HttpResponse,
  answer: UniversalServerResponse,
  call: Call,
  stalledMs: number,
): Promise<void> {
  const chunks = answer.body?.[Symbol.asyncIterator]();
  try {
    let chunk = await chunks?.next();
    writeHead(response, answer);
    for (; chunk !== undefined && chunk.done !== true; chunk = await chunks?.next()) {
      await writeChunk(response, chunk.value, call, stalledMs);
      if (isGone(response)) return;
    }
    if (answer.trailer !== undefined) response.addTrailers(toNodeHeaders(answer.trailer));
    await endResponse(response, stalledMs);
  } finally {
    // Not awaited: it frees what a cut stream holds, and has nobody to report to.
    chunks?.return?.().catch(() => undefined);
  }
}

function writeHead(response: HttpResponse, answer: UniversalServerResponse): void {
  if (isGone(response)) return;
  for (const [name, value] of Object.entries(toNodeHeaders(answer.header))) response.setHeader(name, value);
  // The same call twice: the two types have no signature in common.
  if ("stream" in response) response.writeHead(answer.status);
  else response.writeHead(answer.status);
}

/** Writes bytes as fast as the client reads them; returns early when it is gone. */
export async function writeChunk(
  response: HttpResponse,
  bytes: Uint8Array,
  call: Call,
  stalledMs: number,
): Promise<void> {
  for (let at = 0; at < bytes.byteLength && !isGone(response); at += sliceBytes) {
    const slice = bytes.subarray(at, at + sliceBytes);
    call.bytesOut += slice.byteLength;
    if (!write(response, slice)) await settled(response, "drain", stalledMs);
  }
}

function write(stream: NodeJS.WritableStream, bytes: Uint8Array): boolean {
  return stream.write(bytes);
}

/** Ends an answer, after the last of its bytes; resolves as `writeResponse` does. */
export async function endResponse(
  response: HttpResponse,
  stalledMs: number,
  last?: Uint8Array,
): Promise<void> {
  if (isGone(response)) return;
  const finished = settled(response, "finish", stalledMs);
  if (last === undefined || last.byteLength === 0) response.end();
  else response.end(last);
  await finished;
}

/** Resolves on the event, or when the response closes; destroys it when neither comes in time. */
function settled(response: HttpResponse, event: "drain" | "finish", stalledMs: number): Promise<void> {
  const stream = outgoing(response);
  return new Promise((resolve) => {
    const timer = setTimeout(() => cut(response), stalledMs);
    const done = () => {
      clearTimeout(timer);
      stream.off(event, done).off("close", done);
      resolve();
    };
    stream.on(event, done).on("close", done);
    if (isGone(response)) done();
  });
}

function cut(response: HttpResponse): void {
  if ("stream" in response) response.stream.close(constants.NGHTTP2_CANCEL);
  response.destroy();
}

/** Headers as Node takes them. */
export function toNodeHeaders(headers: Headers | undefined): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  for (const [name, value] of headers ?? []) {
    const known = out[name];
    out[name] = known === undefined ? value : [known, value].flat();
  }
  return out;
}
