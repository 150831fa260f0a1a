import type { ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import type { HttpRequest } from "../listener/http.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";

/** How messages are encoded. */
export type Codec = "proto" | "json";

/** What the head of a request says about its message, and about the response. */
export interface Head {
  readonly codec: Codec;
  /** What decompresses the request; undefined where it is not compressed. */
  readonly requestCompression: Compression | undefined;
  /** What compresses the response, if it is large enough; undefined for nothing. */
  readonly responseCompression: Compression | undefined;
  /** What the call fails with for its head; undefined for nothing. */
  readonly problem: ConnectError | undefined;
  /** The message, where it is in the request target; undefined where it is the body. */
  readonly message?: Uint8Array;
}

/** The message of a request before it is decompressed and decoded. */
export interface RawMessage {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
  /** What is wrong with the rest of the body; undefined for nothing. An error in the message comes first. */
  readonly problem?: ConnectError | undefined;
}

/** Reads a request's body, chunk by chunk, and enforces its size limit. */
export interface BodyReader {
  /**
   * Takes a chunk; true when nothing that may follow makes a difference.
   *
   * @throws ConnectError
   */
  push(chunk: Uint8Array): boolean;
  /**
   * The message of the body.
   *
   * @throws ConnectError when there is none
   */
  end(): RawMessage;
}

/** How a protocol carries one unary call. */
export interface Wire {
  /** @throws ConnectError when the headers say that the body is too large */
  bodyReader(request: HttpRequest, maxBytes: number): BodyReader;
  /** The response with a message. */
  response(
    message: Uint8Array,
    head: Head,
    header: Headers,
    trailer?: Headers,
  ): WholeResponse | Promise<WholeResponse>;
  /**
   * The response with an error.
   *
   * @param header what the method had returned before, where that cannot be sent
   */
  errorResponse(
    error: ConnectError,
    head: Head,
    header: Headers | undefined,
  ): WholeResponse | Promise<WholeResponse>;
}

/** A response smaller than this, in bytes, is not worth compressing. */
export const COMPRESS_MIN_BYTES = 1024;
