import type { ConnectError } from "@connectrpc/connect";
import type { BodyReader, Head } from "./wire.ts";

type Fields = Readonly<Record<string, string | string[]>>;

/** How a server stream ends. */
export interface StreamEnd {
  /** The last frame of the body; undefined for none. */
  readonly frame?: Uint8Array;
  /** HTTP/2 only. */
  readonly trailers?: Fields;
}

/** How a protocol carries one server stream. */
export interface StreamWire {
  bodyReader(maxBytes: number): BodyReader;
  /** The headers of the protocol; they are the same for all streams with such a head. */
  headers(head: Head): Fields;
  /**
   * What ends the stream.
   *
   * @param trailer the method's own; undefined for none
   * @param error what it fails with; undefined for nothing
   */
  end(
    head: Head,
    trailer: Headers | undefined,
    error: ConnectError | undefined,
  ): StreamEnd | Promise<StreamEnd>;
}
