import type { ConnectError } from "@connectrpc/connect";
import { type Compression, mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { ChunkBuffer } from "connect-rest-codec/internal";
import type { HttpRequest } from "../listener/http.ts";
import { BODY_BOUNDS, boundedError } from "../protocol/bounded-error.ts";
import { toNodeHeaders } from "../protocol/headers.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { checkReadBytes } from "./message-limits.ts";
import { type BodyReader, COMPRESS_MIN_BYTES, type Head, type RawMessage, type Wire } from "./wire.ts";

/** Unary calls of the Connect protocol (https://connectrpc.com/docs/protocol). */
export const connectWire: Wire = { bodyReader, response, errorResponse };

/** Creates a reader for a body that is a single message. */
function bodyReader({ headers }: HttpRequest, maxBytes: number): BodyReader {
  checkReadBytes(Number.parseInt(headers["content-length"] ?? "0", 10) || 0, maxBytes, true);
  return new MessageReader(maxBytes, headers["content-encoding"]);
}

class MessageReader implements BodyReader {
  private readonly maxBytes: number;
  private readonly isCompressed: boolean;
  private readonly body = new ChunkBuffer();

  constructor(maxBytes: number, encoding: string | undefined) {
    this.maxBytes = maxBytes;
    this.isCompressed = encoding !== undefined && encoding !== "identity";
  }

  push(chunk: Uint8Array): boolean {
    checkReadBytes(this.body.size + chunk.length, this.maxBytes, false);
    this.body.push(chunk);
    return false;
  }

  end(): RawMessage {
    return { bytes: this.body.bytes(), isCompressed: this.isCompressed };
  }
}

/** Returns a Unary-Response with a message; trailers become prefixed headers (Trailing-Metadata). */
function response(
  message: Uint8Array,
  head: Head,
  header: Headers,
  trailer?: Headers,
): WholeResponse | Promise<WholeResponse> {
  const headers = toNodeHeaders(header);
  if (trailer !== undefined) {
    for (const [name, value] of Object.entries(toNodeHeaders(trailer))) headers[`trailer-${name}`] = value;
  }
  headers["content-type"] = head.codec === "proto" ? "application/proto" : "application/json";
  return withBody(200, headers, message, head.responseCompression);
}

/** Returns a Unary-Response with an error, which is JSON in both codecs. */
function errorResponse(
  error: ConnectError,
  head: Head,
  header: Headers | undefined,
): WholeResponse | Promise<WholeResponse> {
  const headers = new Headers(header);
  mergeNonProtocolHeaders(headers, error.metadata);
  headers.set("content-type", "application/json");
  const body = errorToJsonBytes(boundedError(error, BODY_BOUNDS), undefined);
  return withBody(codeToHttpStatus(error.code), toNodeHeaders(headers), body, head.responseCompression);
}

/** Returns a response with a body, compressed if the body is large enough. */
function withBody(
  status: number,
  headers: Record<string, string | string[]>,
  body: Uint8Array,
  compression: Compression | undefined,
): WholeResponse | Promise<WholeResponse> {
  if (compression === undefined || body.length < COMPRESS_MIN_BYTES) return plain(status, headers, body);
  const encoded = { ...headers, "content-encoding": compression.name };
  return compression.compress(body).then((compressed) => plain(status, encoded, compressed));
}

function plain(status: number, headers: Record<string, string | string[]>, body: Uint8Array): WholeResponse {
  headers["content-length"] = String(body.length);
  return { status, headers, body };
}
