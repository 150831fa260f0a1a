import type { ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import type { HttpRequest } from "../listener/http.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";

/** The encoding of messages. */
export type Codec = "proto" | "json";

/** The parsed head of a request: the encoding of its message, and the encoding of the response. */
export interface Head {
  readonly codec: Codec;
  /** Decompresses the request; undefined if the request is not compressed. */
  readonly requestCompression: Compression | undefined;
  /** Compresses a response that is large enough; undefined if responses are not compressed. */
  readonly responseCompression: Compression | undefined;
  /** The error in the head, which fails the call; undefined for a valid head. */
  readonly problem: ConnectError | undefined;
  /** The message, if it is in the request target; undefined if it is in the body. */
  readonly message?: Uint8Array;
}

/** The message of a request before decompression and decoding. */
export interface RawMessage {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
  /**
   * The error in the rest of the body, after the message; undefined if there is none. An error in the message
   * takes precedence.
   */
  readonly problem?: ConnectError | undefined;
}

/** Reads a request's body, chunk by chunk, and enforces its size limit. */
export interface BodyReader {
  /**
   * Adds a chunk; returns true if further chunks cannot change the result.
   *
   * @throws ConnectError
   */
  push(chunk: Uint8Array): boolean;
  /**
   * Returns the message of the body.
   *
   * @throws ConnectError if the body contains no message
   */
  end(): RawMessage;
}

/** The wire format of a unary call in one protocol. */
export interface Wire {
  /** @throws ConnectError if the headers announce a body that is too large */
  bodyReader(request: HttpRequest, maxBytes: number): BodyReader;
  /** Returns a response with a message. */
  response(
    message: Uint8Array,
    head: Head,
    header: Headers,
    trailer?: Headers,
  ): WholeResponse | Promise<WholeResponse>;
  /**
   * Returns a response with an error.
   *
   * @param header the headers that the method returned before its response could not be sent
   */
  errorResponse(
    error: ConnectError,
    head: Head,
    header: Headers | undefined,
  ): WholeResponse | Promise<WholeResponse>;
}

/** Responses below this size, in bytes, are not compressed. */
export const COMPRESS_MIN_BYTES = 1024;
