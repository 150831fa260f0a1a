import type { Call } from "../call/call.ts";
import { type HttpResponse, isGone } from "../listener/http.ts";
import { endResponse, sliceBytes, writeChunk } from "../rpc/respond.ts";

/** A whole answer, before it is sent. Names of headers and trailers in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array;
  /** HTTP/2 only. */
  readonly trailers?: Readonly<Record<string, string | string[]>>;
}

/**
 * Sends an answer. Resolves when all is handed to the connection or the client is gone; a client that does not read
 * for `stalledMs` is cut off.
 */
export async function sendAnswer(
  response: HttpResponse,
  { status, headers, body, trailers }: Answer,
  call: Call,
  stalledMs: number,
): Promise<void> {
  if (isGone(response)) return;
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
  if (trailers !== undefined && "stream" in response) {
    response.addTrailers(trailers);
    // before the end: ended without a body, the answer would be over with its headers
    response.writeHead(status);
  }
  if (body.length > sliceBytes) {
    await writeChunk(response, body, call, stalledMs);
    await endResponse(response, stalledMs);
  } else {
    call.bytesOut += body.length;
    await endResponse(response, stalledMs, body);
  }
}
