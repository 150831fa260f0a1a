import type { Compression } from "@connectrpc/connect/protocol";

/** How messages are written. */
export type Codec = "proto" | "json";

/** What the head of a request says about its message and the one that answers it. */
export interface Head {
  readonly codec: Codec;
  /** What takes the compression off the request; undefined where it has none. */
  readonly requestCompression: Compression | undefined;
  /** What compresses the answer, if it is large enough; undefined for nothing. */
  readonly answerCompression: Compression | undefined;
  /** The message, where it is in the request target; undefined where it is the body. */
  readonly message?: Uint8Array;
}

/** An answer smaller than this, in bytes, is not worth its compression. */
export const compressMinBytes = 1024;
