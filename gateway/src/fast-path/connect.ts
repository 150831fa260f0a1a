import type { DescMethod } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectError } from "@connectrpc/connect";
import { type Compression, mergeNonProtocolHeaders } from "@connectrpc/connect/protocol";
import { codeToHttpStatus, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { ChunkBuffer } from "connect-rest-codec/internal";
import type { HttpRequest } from "../listener/http.ts";
import { splitTarget } from "../listener/target.ts";
import { BODY_BOUNDS, boundedError } from "../protocol/bounded-error.ts";
import { toNodeHeaders } from "../protocol/headers.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { checkReadBytes } from "./message-limits.ts";
import { negotiate } from "./negotiate.ts";
import {
  type BodyReader,
  COMPRESS_MIN_BYTES,
  type Codec,
  type Head,
  type RawMessage,
  type Wire,
} from "./wire.ts";

const CODECS: ReadonlyMap<string, Codec> = new Map([
  ["application/proto", "proto"],
  ["application/json", "json"],
  ["application/json; charset=utf-8", "json"],
  ["application/json;charset=utf-8", "json"],
]);

/** Unary calls of the Connect protocol (https://connectrpc.com/docs/protocol). */
export const connectWire: Wire = { bodyReader, response, errorResponse };

/** Reads the head of a unary POST (Unary-Request). Undefined for one that has something unusual in it. */
export function postHead({ headers }: HttpRequest, compressions: readonly Compression[]): Head | undefined {
  const codec = CODECS.get(headers["content-type"] ?? "");
  if (codec === undefined) return undefined;
  const chosen = negotiate(compressions, headers["content-encoding"], textOf(headers["accept-encoding"]));
  return chosen && { codec, ...chosen };
}

/**
 * Reads the head of a unary GET (Unary-Get-Request), which is for methods without side effects. Undefined for one that
 * has something unusual in it.
 */
export function getHead(
  { headers, url }: HttpRequest,
  method: DescMethod,
  compressions: readonly Compression[],
): Head | undefined {
  const { query } = splitTarget(url);
  if (method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return undefined;
  // nobody sends a fragment; an address would lose it
  if (query === undefined || query.includes("#") || headers["content-type"] !== undefined) return undefined;
  const parameters = new URLSearchParams(query);
  const codec = parameters.get("encoding");
  if (codec !== "proto" && codec !== "json") return undefined;
  const used = parameters.get("compression") ?? undefined;
  const chosen = negotiate(compressions, used, textOf(headers["accept-encoding"]));
  return chosen && { codec, ...chosen, message: messageOf(parameters) };
}

/** Malformed base64 has been refused before. */
function messageOf(parameters: URLSearchParams): Uint8Array {
  const text = parameters.get("message") ?? "";
  return parameters.get("base64") === "1" ? base64Decode(text) : new TextEncoder().encode(text);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Reads a body that is one message. */
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

/** Unary-Response with a message; trailers are headers with a prefix (Trailing-Metadata). */
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

/** Unary-Response with an error, which is JSON in both codecs. */
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

/** A response with a body, compressed where that is worth it. */
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
