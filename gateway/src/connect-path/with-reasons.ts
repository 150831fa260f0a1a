import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression, UniversalServerResponse } from "@connectrpc/connect/protocol";
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

/** The maximum size of an error that is corrected; larger errors are sent as connect wrote them. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Corrects a response of connect's handler: connect's errors have no reason, and its grpc-message escapes
 * more characters than gRPC requires. gRPC trailers are complete only after the body, so
 * `protocol/status-trailers.ts` corrects them when they are sent. Errors from handlers keep their details.
 *
 * @param isEnveloped whether the body contains enveloped messages
 * @param compressions the possible compressions of the body; a corrected error is uncompressed
 */
export async function withReasons(
  result: UniversalServerResponse,
  isEnveloped: boolean,
  call: EndedCall,
  compressions: readonly Compression[],
): Promise<UniversalServerResponse> {
  const { body, status } = result;
  if (body === undefined || (isEnveloped && result.trailer !== undefined)) return result;
  const compression = compressions.find(({ name }) => name === encodingOf(result));
  if (isEnveloped) return { ...result, body: mendedEnvelopes(body, compression, call) };
  return status < 400 ? result : mendedUnary(result, await bytesOf(body), compression, call);
}

function encodingOf({ header }: UniversalServerResponse): string | null | undefined {
  const unary = header?.get("content-encoding");
  return unary ?? header?.get("connect-content-encoding") ?? header?.get("grpc-encoding");
}

/** Returns the decompressed bytes of a response; undefined if they are too large. */
async function plain(bytes: Uint8Array, compression: Compression): Promise<Uint8Array | undefined> {
  try {
    return await compression.decompress(bytes, MAX_BYTES);
  } catch {
    return undefined;
  }
}

/** Corrects the error of a unary Connect call, whose body is complete and whose length is in the headers. */
async function mendedUnary(
  result: UniversalServerResponse,
  bytes: Uint8Array,
  compression: Compression | undefined,
  call: Pick<Call, "failedInHandler">,
): Promise<UniversalServerResponse> {
  const json = compression === undefined ? bytes : await plain(bytes, compression);
  const error = json && read(() => errorFromJsonBytes(json, undefined, new ConnectError("", Code.Unknown)));
  const own = error && mendedError(error, call);
  if (own === undefined) return { ...result, body: chunksOf(bytes) };
  const body = Buffer.from(JSON.stringify(errorToJson(own, undefined)));
  const header = new Headers(result.header);
  header.set("content-length", String(body.length));
  header.delete("content-encoding");
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

/** Corrects the last envelope, which contains the status. connect sends each envelope in a separate chunk. */
async function* mendedEnvelopes(
  body: Chunks,
  compression: Compression | undefined,
  call: EndedCall,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) yield await mendedEnvelope(chunk, compression, call);
}

async function mendedEnvelope(
  chunk: Uint8Array,
  compression: Compression | undefined,
  call: EndedCall,
): Promise<Uint8Array> {
  const [flags = 0] = chunk;
  const kind = flags & ~COMPRESSED_FLAG;
  if (kind !== trailerFlag && kind !== endStreamFlag) return chunk;
  const packed = chunk.subarray(ENVELOPE_PREFIX_BYTES);
  const bytes = kind === flags || compression === undefined ? packed : await plain(packed, compression);
  if (bytes === undefined) return chunk;
  if (kind === endStreamFlag) return mendedEnd(chunk, bytes, call);
  return envelopes([kind, trailerSerialize(withStatus(trailerParse(bytes), call))]);
}

function mendedEnd(chunk: Uint8Array, bytes: Uint8Array, call: EndedCall): Uint8Array {
  const end = read(() => endStreamFromJson(bytes));
  if (end?.error !== undefined) call.endError = end.error;
  const own = end?.error && mendedError(end.error, call);
  if (end === undefined || own === undefined) return chunk;
  // `own` already contains all metadata
  const json = endStreamToJson(new Headers(), own, undefined);
  return envelopes([endStreamFlag, Buffer.from(JSON.stringify(json))]);
}

/**
 * Returns the corrected error; undefined if no correction is needed. An error with details does not come from
 * connect.
 */
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
