import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { ResponseReservation } from "../admission/held-responses.ts";
import type { Call } from "../call/call.ts";
import { REQUEST_ID_HEADER } from "../call/caller.ts";
import type { LimitRejection } from "../call/limit-rejection.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { type HttpResponse, isGone, outgoing } from "../listener/http.ts";
import { sendable, toNodeHeaders } from "../protocol/headers.ts";
import { withStatus } from "../protocol/status-trailers.ts";
import type { StreamedResponse } from "../protocol/streamed-response.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";

/** The number of bytes that a client must read within `stalledWriteMs`, which the listener enforces. */
export const SLICE_BYTES = 64 * 1024;

/** The response of a call: either a whole response or a body in chunks. */
export type RpcResponse = WholeResponse | StreamedResponse | UniversalServerResponse;

/**
 * The last step of a call: sends its response. Resolves once all bytes have been passed to the connection or
 * the client has disconnected. If too many bytes wait for clients to read them, resolves to the reservation's
 * rejection, after which nothing more may be sent.
 */
export function respond(
  response: HttpResponse,
  result: RpcResponse,
  call: Call,
  hold: ResponseReservation,
): Promise<LimitRejection | undefined> {
  if ("chunks" in result) return sendChunks(response, result, call, hold);
  return isWhole(result)
    ? sendWhole(response, result, call, hold)
    : sendChunks(response, streamedResponse(result, call), call, hold);
}

function isWhole(result: WholeResponse | UniversalServerResponse): result is WholeResponse {
  return result.body instanceof Uint8Array;
}

/** Adapts a response of connect's handler, whose headers and trailers change while its body is produced. */
function streamedResponse(
  { status, header, body, trailer }: UniversalServerResponse,
  call: Call,
): StreamedResponse {
  return {
    status,
    headers: () => toNodeHeaders(header),
    chunks: body?.[Symbol.asyncIterator]() ?? NOTHING,
    trailers: () => trailer && toNodeHeaders(withStatus(trailer, call)),
  };
}

const NOTHING: StreamedResponse["chunks"] = { next: async () => ({ done: true, value: undefined }) };

async function sendWhole(
  response: HttpResponse,
  { status, headers, body, trailers }: WholeResponse,
  call: Call,
  hold: ResponseReservation,
): Promise<LimitRejection | undefined> {
  if (isGone(response)) return undefined;
  const rejected = hold.add(body.length);
  if (rejected !== undefined) return rejected;
  writeWholeHead(response, status, headers, trailers);
  if (body.length > SLICE_BYTES) {
    await writeChunk(response, body, call, hold);
    await endResponse(response);
  } else {
    call.bytesOut += body.length;
    await endResponse(response, body);
  }
  return undefined;
}

/**
 * Sends a whole response with a body of at most `SLICE_BYTES` to a connected client. Passes everything to the
 * connection in one call; the response emits `finish` once the connection has accepted it.
 *
 * @param requestId undefined if the common response headers are already set
 */
export function sendAtOnce(
  response: HttpResponse,
  { status, headers, body, trailers }: WholeResponse,
  requestId: string | undefined,
): void {
  if (requestId === undefined) {
    writeWholeHead(response, status, headers, trailers);
  } else if ("stream" in response) {
    const all = { ...sendable(headers), ":status": status, [REQUEST_ID_HEADER]: requestId };
    response.send(status, all, body, trailers && sendable(trailers));
    return;
  } else {
    if (trailers !== undefined) response.addTrailers(sendable(trailers));
    response.writeHead(status, flatHeaders(requestId, sendable(headers)));
  }
  if (body.length === 0) {
    response.end();
  } else {
    response.end(body);
  }
}

/**
 * Sets the head of a whole response. A head with trailers is sent immediately. If the head were sent together
 * with the end of a response without a body, an HTTP/2 response would end with its headers, and an HTTP/1.1
 * response would get a content-length and lose its trailers.
 */
function writeWholeHead(
  response: HttpResponse,
  status: number,
  headers: WholeResponse["headers"],
  trailers: WholeResponse["trailers"],
): void {
  response.statusCode = status;
  setHeaders(response, headers);
  if (trailers === undefined) return;
  response.addTrailers(sendable(trailers));
  // both branches call the same method, because the two types have no common signature
  if ("stream" in response) {
    response.writeHead(status);
  } else {
    response.writeHead(status);
  }
}

/** Returns headers as a flat list, which Node writes without merging them with existing headers. */
function flatHeaders(requestId: string, headers: WholeResponse["headers"]): (string | string[])[] {
  const flat: (string | string[])[] = [REQUEST_ID_HEADER, requestId];
  for (const name in headers) {
    if (name !== REQUEST_ID_HEADER) flat.push(name, headers[name] ?? "");
  }
  return flat;
}

/**
 * Sends headers with the first chunk, so that the handler can set headers until then; then sends chunks as
 * fast as the client reads, then trailers.
 */
async function sendChunks(
  response: HttpResponse,
  result: StreamedResponse,
  call: Call,
  hold: ResponseReservation,
): Promise<LimitRejection | undefined> {
  const { chunks } = result;
  try {
    let chunk = await chunks.next();
    if (chunk.done === true && isError(result.trailers()) && !hasHeaders(result.headers())) {
      await sendTrailersOnly(response, result);
      return undefined;
    }
    for (let isFirst = true; ; isFirst = false) {
      const bytes = chunk.done === true ? undefined : chunk.value;
      const rejected = bytes && hold.add(bytes.byteLength);
      if (rejected !== undefined) return rejected;
      if (isFirst) writeHead(response, result);
      if (bytes === undefined) break;
      await writeChunk(response, bytes, call, hold);
      hold.release();
      if (isGone(response)) return undefined;
      chunk = await chunks.next();
    }
    const trailers = result.trailers();
    if (trailers !== undefined) response.addTrailers(sendable(trailers));
    await endResponse(response);
    return undefined;
  } finally {
    // Not awaited: `return` only releases the resources of a stream that was cut, and its errors have no
    // effect.
    chunks.return?.().catch(() => undefined);
  }
}

/** Returns whether the trailers report a failed gRPC call. */
function isError(trailers: WholeResponse["trailers"]): boolean {
  const status = trailers?.["grpc-status"];
  return typeof status === "string" && status !== "0";
}

/**
 * Returns whether there are headers other than protocol headers. Clients expect a handler's headers in a
 * header block; in a trailers-only response, they would treat these headers as trailers.
 */
function hasHeaders(headers: WholeResponse["headers"]): boolean {
  return Object.keys(headers).some((name) => name !== "content-type" && !name.startsWith("grpc-"));
}

/**
 * Sends an error that no message precedes (gRPC over HTTP/2, Trailers-Only): a header block that ends the
 * response.
 */
async function sendTrailersOnly(response: HttpResponse, result: StreamedResponse): Promise<void> {
  if (isGone(response)) return;
  const finished = settled(response, "finish");
  response.statusCode = result.status;
  setHeaders(response, { ...result.headers(), ...result.trailers() });
  response.end();
  await finished;
}

function writeHead(response: HttpResponse, result: StreamedResponse): void {
  if (isGone(response)) return;
  setHeaders(response, result.headers());
  // Both branches call the same method, because the two types have no common signature.
  if ("stream" in response) {
    response.writeHead(result.status);
  } else {
    response.writeHead(result.status);
  }
}

/** Sets headers, except the request ID, which the gateway has already set. */
function setHeaders(response: HttpResponse, headers: WholeResponse["headers"]): void {
  const fit = sendable(headers);
  for (const name in fit) {
    if (name !== REQUEST_ID_HEADER) response.setHeader(name, fit[name] ?? "");
  }
}

/** Writes bytes as fast as the client reads them; returns early if the client disconnects. */
async function writeChunk(
  response: HttpResponse,
  bytes: Uint8Array,
  call: Call,
  hold: ResponseReservation,
): Promise<void> {
  for (let at = 0; at < bytes.byteLength && !isGone(response); at += SLICE_BYTES) {
    const slice = bytes.subarray(at, at + SLICE_BYTES);
    call.bytesOut += slice.byteLength;
    // both branches call the same method, because the two types have no common signature
    if ("stream" in response ? response.write(slice) : response.write(slice)) continue;
    await settled(response, "drain");
    hold.wasRead();
  }
}

/** Ends a response after its last bytes; resolves to the same values as `respond`. */
async function endResponse(response: HttpResponse, last?: Uint8Array): Promise<void> {
  if (isGone(response)) return;
  const finished = settled(response, "finish");
  if (last === undefined || last.byteLength === 0) {
    response.end();
  } else {
    response.end(last);
  }
  await finished;
}

/** Resolves on the event, or when the response closes because its client does not read it. */
function settled(response: HttpResponse, event: "drain" | "finish"): Promise<void> {
  const stream = outgoing(response);
  return new Promise((resolve, reject) => {
    const callbacks = new Callbacks(reject);
    const done = () => {
      offEvent();
      offClose();
      resolve();
    };
    const offEvent = callbacks.once(stream, event, done);
    const offClose = callbacks.once(stream, "close", done);
    if (isGone(response)) done();
  });
}
