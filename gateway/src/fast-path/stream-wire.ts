import type { ConnectError } from "@connectrpc/connect";
import type { BodyReader, Head } from "./wire.ts";

type Fields = Readonly<Record<string, string | string[]>>;

/** The end of a server stream. */
export interface StreamEnd {
  /** The last frame of the body, if the protocol has such a frame. */
  readonly frame?: Uint8Array;
  /** HTTP/2 only. */
  readonly trailers?: Fields;
}

/** The wire format of a server stream in one protocol. */
export interface StreamWire {
  bodyReader(maxBytes: number): BodyReader;
  /** Returns the headers of the protocol, which depend only on the request head. */
  headers(head: Head): Fields;
  /**
   * Returns the end of the stream.
   *
   * @param trailer the trailers of the method; undefined without trailers
   * @param error the error of the call; undefined on success
   */
  end(
    head: Head,
    trailer: Headers | undefined,
    error: ConnectError | undefined,
  ): StreamEnd | Promise<StreamEnd>;
}
