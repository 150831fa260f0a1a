/** The second argument of a `fetch` call. */
export interface FetchInit {
  readonly method: string;
  /** The headers of the request. Names may repeat. */
  readonly headers: Array<[string, string]>;
  /**
   * The body: bytes if the request may be retried, and otherwise a stream that can be read once, so that a
   * `fetch` cannot retry the request by itself.
   */
  readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Set only if the body is a stream. */
  readonly duplex?: "half";
  /** Redirects must be returned like other responses. */
  readonly redirect: "manual";
  /** Cookies must be neither sent nor stored. */
  readonly credentials: "omit";
  /** Aborts the exchange at the deadline, when the caller leaves, or when a limit is exceeded. */
  readonly signal: AbortSignal;
}

/** The part of a `Response` that the runtime uses. */
export interface FetchResponse {
  /** The status, from 200 to 599. */
  readonly status: number;
  readonly headers: Iterable<[string, string]>;
  /** The decoded body. */
  readonly body?: AsyncIterable<Uint8Array> | null;
  /** Whether `fetch` followed a redirect. Must not be true. */
  readonly redirected?: boolean;
}

/** The part of `fetch` that the runtime uses (WHATWG Fetch section 5.4). */
export type FetchFunction = (address: string, init: FetchInit) => Promise<FetchResponse>;
