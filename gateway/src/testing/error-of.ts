import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Code, ConnectError } from "@connectrpc/connect";
import { endStreamFlag, endStreamFromJson, errorFromJsonBytes } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { COMPRESSED_FLAG, ENVELOPE_PREFIX_BYTES } from "../protocol/envelope.ts";
import type { RawResponse } from "./raw-call.ts";

/** Returns the error in a response of any protocol; undefined if the response has no error. */
export function errorOf({ status, headers, body, trailers }: RawResponse): ConnectError | undefined {
  const type = String(headers["content-type"] ?? "");
  const inHeaders = findTrailerError(asHeaders({ ...headers, ...trailers }));
  if (inHeaders !== undefined) return inHeaders;
  if (type.startsWith("application/grpc-web")) {
    return findTrailerError(trailerParse(last(body, trailerFlag, headers["grpc-encoding"])));
  }
  if (type.startsWith("application/connect")) {
    const end = last(body, endStreamFlag, headers["connect-content-encoding"]);
    return end.length === 0 ? undefined : endStreamFromJson(end).error;
  }
  // plain text is meant for people; clients of the protocols do not treat it as an error
  if (status < 400 || type.startsWith("text/plain")) return undefined;
  const fallback = new ConnectError(`not an error: ${body}`, Code.Unknown);
  return errorFromJsonBytesOr(decompressed(body, headers["content-encoding"]), fallback);
}

function errorFromJsonBytesOr(body: Uint8Array, fallback: ConnectError): ConnectError {
  try {
    return errorFromJsonBytes(body, undefined, fallback);
  } catch {
    return fallback;
  }
}

/** Returns the decompressed message of the envelope with a flag, or an empty buffer if there is none. */
function last(body: Buffer, flag: number, encoding: unknown): Buffer {
  let at = 0;
  while (at + ENVELOPE_PREFIX_BYTES <= body.length) {
    const end = at + ENVELOPE_PREFIX_BYTES + body.readUInt32BE(at + 1);
    const message = body.subarray(at + ENVELOPE_PREFIX_BYTES, end);
    if (body[at] === flag) return message;
    if (body[at] === (flag | COMPRESSED_FLAG)) return decompressed(message, encoding);
    at = end;
  }
  return Buffer.alloc(0);
}

function decompressed(bytes: Buffer, encoding: unknown): Buffer {
  if (encoding === "gzip") return gunzipSync(bytes);
  return encoding === "br" ? brotliDecompressSync(bytes) : bytes;
}

function asHeaders(raw: Readonly<Record<string, unknown>>): Headers {
  const entries = Object.entries(raw).filter(([name]) => name.startsWith("grpc-"));
  return new Headers(entries.map(([name, value]) => [name, String(value)] as [string, string]));
}
