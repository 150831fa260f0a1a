import { Code, ConnectError } from "@connectrpc/connect";
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamFromJson,
  endStreamToJson,
  errorFromJsonBytes,
  errorToJson,
} from "@connectrpc/connect/protocol-connect";
import { trailerFlag, trailerParse, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { Call } from "../call/call.ts";
import { withReason } from "../call/gateway-error.ts";
import { BODY_BOUNDS, boundedError } from "../protocol/bounded-error.ts";
import { COMPRESSED_FLAG, ENVELOPE_PREFIX_BYTES, envelopes } from "../protocol/envelope.ts";
import { type EndedCall, withStatus } from "../protocol/status-trailers.ts";

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
  call: EndedCall,
): Promise<UniversalServerResponse> {
  const { body, status, header } = result;
  if (body === undefined) return result;
  if (isEnveloped)
    return result.trailer === undefined ? { ...result, body: mendedEnvelopes(body, call) } : result;
  if (status < 400 || header?.has("content-encoding") === true) return result;
  return mendedUnary(result, await bytesOf(body), call);
}

/** The body of a unary error of Connect is there already, and its length is in the headers. */
function mendedUnary(
  result: UniversalServerResponse,
  bytes: Uint8Array,
  call: Pick<Call, "failedInHandler">,
): UniversalServerResponse {
  const error = read(() => errorFromJsonBytes(bytes, undefined, new ConnectError("", Code.Unknown)));
  const own = error && mendedError(error, call);
  if (own === undefined) return { ...result, body: chunksOf(bytes) };
  const body = Buffer.from(JSON.stringify(errorToJson(own, undefined)));
  const header = new Headers(result.header);
  header.set("content-length", String(body.length));
  const status = own.code === error?.code ? result.status : codeToHttpStatus(own.code);
  return { ...result, status, header, body: chunksOf(body) };
}

async function bytesOf(chunks: Chunks): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** connect sends one envelope a chunk; the last one has the status. */
function mendedEnvelopes(body: Chunks, call: EndedCall): Chunks {
  return mapped(body, (chunk) => {
    const [flags = 0] = chunk;
    if ((flags & COMPRESSED_FLAG) !== 0) return chunk;
    const bytes = chunk.subarray(ENVELOPE_PREFIX_BYTES);
    if (flags === trailerFlag) {
      return envelopes([flags, trailerSerialize(withStatus(trailerParse(bytes), call))]);
    }
    return flags === endStreamFlag ? mendedEnd(chunk, bytes, call) : chunk;
  });
}

function mendedEnd(chunk: Uint8Array, bytes: Uint8Array, call: EndedCall): Uint8Array {
  const end = read(() => endStreamFromJson(bytes));
  if (end?.error !== undefined) call.endError = end.error;
  const own = end?.error && mendedError(end.error, call);
  if (end === undefined || own === undefined) return chunk;
  const json = endStreamToJson(end.metadata, own, undefined);
  return envelopes([endStreamFlag, Buffer.from(JSON.stringify(json))]);
}

/** The error as it should be; undefined for one that is so. One with details is not one of connect's own. */
function mendedError(
  error: ConnectError,
  { failedInHandler }: Pick<Call, "failedInHandler">,
): ConnectError | undefined {
  const isOwn = !failedInHandler && error.details.length === 0;
  const bounded = boundedError(isOwn ? withReason(error) : error, BODY_BOUNDS);
  return isOwn || bounded !== error ? bounded : undefined;
}

function read<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

async function* mapped(chunks: Chunks, map: (chunk: Uint8Array) => Uint8Array): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield map(chunk);
}
