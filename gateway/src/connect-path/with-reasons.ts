import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  endStreamFlag,
  endStreamFromJson,
  endStreamToJson,
  errorFromJsonBytes,
  errorToJson,
} from "@connectrpc/connect/protocol-connect";
import { trailerFlag, trailerParse, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { Call } from "../call/call.ts";
import { withReason } from "../call/gateway-error.ts";
import { COMPRESSED_FLAG, ENVELOPE_PREFIX_BYTES, envelopes } from "../protocol/envelope.ts";
import { withStatus } from "../protocol/status-trailers.ts";

type Chunks = AsyncIterable<Uint8Array>;

/**
 * The response of connect's handler, whose own errors have no reason, and whose grpc-message escapes more than gRPC
 * does. Trailers of gRPC are complete only behind the body, so that they are mended where they are sent
 * (`protocol/status-trailers.ts`). Errors that handlers throw keep the details that they have.
 *
 * @param isEnveloped whether its body has its messages in envelopes
 */
export async function withReasons(
  result: UniversalServerResponse,
  isEnveloped: boolean,
  call: Pick<Call, "failedInHandler">,
): Promise<UniversalServerResponse> {
  const { body, status, header } = result;
  if (body === undefined) return result;
  if (isEnveloped)
    return result.trailer === undefined ? { ...result, body: mendedEnvelopes(body, call) } : result;
  if (status < 400 || header?.has("content-encoding") === true) return result;
  return call.failedInHandler ? result : { ...result, ...(await mendedUnary(body, header)) };
}

/** The body of a unary error of Connect is there already, and its length is in the headers. */
async function mendedUnary(body: Chunks, header: UniversalServerResponse["header"]) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = mendedError(Buffer.concat(chunks));
  const headers = new Headers(header);
  if (headers.has("content-length")) headers.set("content-length", String(bytes.length));
  return { header: headers, body: chunksOf(bytes) };
}

function mendedError(bytes: Uint8Array): Uint8Array {
  const error = read(() => errorFromJsonBytes(bytes, undefined, new ConnectError("", Code.Unknown)));
  if (error === undefined || hasDetails(error)) return bytes;
  return Buffer.from(JSON.stringify(errorToJson(withReason(error), undefined)));
}

/** connect sends one envelope a chunk; the last one has the status. */
function mendedEnvelopes(body: Chunks, call: Pick<Call, "failedInHandler">): Chunks {
  return mapped(body, (chunk) => {
    const [flags = 0] = chunk;
    if ((flags & COMPRESSED_FLAG) !== 0) return chunk;
    const bytes = chunk.subarray(ENVELOPE_PREFIX_BYTES);
    if (flags === trailerFlag) {
      return envelopes([flags, trailerSerialize(withStatus(trailerParse(bytes), call))]);
    }
    return flags === endStreamFlag && !call.failedInHandler ? mendedEnd(chunk, bytes) : chunk;
  });
}

function mendedEnd(chunk: Uint8Array, bytes: Uint8Array): Uint8Array {
  const end = read(() => endStreamFromJson(bytes));
  if (end?.error === undefined || hasDetails(end.error)) return chunk;
  const json = endStreamToJson(end.metadata, withReason(end.error), undefined);
  return envelopes([endStreamFlag, Buffer.from(JSON.stringify(json))]);
}

/** An error with details is not one of connect's own. */
function hasDetails({ details }: ConnectError): boolean {
  return details.length > 0;
}

function read<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* mapped(chunks: Chunks, map: (chunk: Uint8Array) => Uint8Array): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield map(chunk);
}
