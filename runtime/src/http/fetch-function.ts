/** The second argument of a `fetch` call. */
export interface FetchInit {
  readonly method: string;
  /** Names may repeat. */
  readonly headers: Array<[string, string]>;
  /**
   * The bytes, for a request that may be retried. Otherwise a stream that can be read once, so that a `fetch`
   * cannot retry the request itself.
   */
  readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Only with a stream. */
  readonly duplex?: "half";
  /** Redirects are returned like other responses. */
  readonly redirect: "manual";
  /** Cookies are neither sent nor kept. */
  readonly credentials: "omit";
  /** Aborts the exchange: at the deadline, when the caller leaves, when a limit is exceeded. */
  readonly signal: AbortSignal;
}

/** The used part of a `Response`. */
export interface FetchResponse {
  /** 200 to 599. */
  readonly status: number;
  readonly headers: Iterable<[string, string]>;
  /** The decoded body. */
  readonly body?: AsyncIterable<Uint8Array> | null;
  /** Must not be true. */
  readonly redirected?: boolean;
}

/** The used part of a `fetch` (WHATWG Fetch section 5.4). */
export type FetchFunction = (address: string, init: FetchInit) => Promise<FetchResponse>;
