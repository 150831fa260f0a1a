/** What a `fetch` is called with, beside the address. */
export interface FetchInit {
  readonly method: string;
  /** Names may repeat. */
  readonly headers: Array<[string, string]>;
  /**
   * Of a request that may be sent again, the bytes. Of another one a stream that can be read once, so that a
   * `fetch` cannot send it again by itself.
   */
  readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** With a stream. */
  readonly duplex?: "half";
  /** Redirects are responses like others. */
  readonly redirect: "manual";
  /** Cookies are neither sent nor kept. */
  readonly credentials: "omit";
  /** Ends the exchange: at the deadline, when the caller leaves, when a limit is exceeded. */
  readonly signal: AbortSignal;
}

/** What of a `Response` is read. */
export interface FetchResponse {
  /** 200 to 599. */
  readonly status: number;
  readonly headers: Iterable<[string, string]>;
  /** The body, with its content encodings taken off. */
  readonly body?: AsyncIterable<Uint8Array> | null;
  /** Must not be true. */
  readonly redirected?: boolean;
}

/** A `fetch` (WHATWG Fetch section 5.4), as far as it is used. */
export type FetchFunction = (address: string, init: FetchInit) => Promise<FetchResponse>;
