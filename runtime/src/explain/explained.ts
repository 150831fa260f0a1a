/** A header of an explained request or response, with its name in lower case. */
export interface ExplainedHeader {
  readonly name: string;
  /** Undefined if the value is hidden, because it may be a credential. */
  readonly value: string | undefined;
}

/** The body of an explained request. */
export interface ExplainedBody {
  /** The size in bytes. Undefined if the body is streamed. */
  readonly bytes: number | undefined;
  /**
   * The body, or its first 64 KB and an ellipsis. Undefined if the body is streamed or is not UTF-8.
   */
  readonly text: string | undefined;
  /** Whether `text` is incomplete. */
  readonly isCut: boolean;
}

/** A response to an explained request. */
export interface ExplainedResponse {
  readonly status: number;
  readonly headers: readonly ExplainedHeader[];
  /** The size of the body in bytes, before decompression. */
  readonly bytes: number;
  /** The time from the request to the head of the response, in milliseconds. */
  readonly headMs: number;
  /** The time from the request to the end of the response, in milliseconds. Undefined if it has not ended. */
  readonly durationMs: number | undefined;
}

/** One HTTP request of an explained call. */
export interface ExplainedRequest {
  readonly verb: string;
  /** The complete address, including the query. */
  readonly url: string;
  readonly headers: readonly ExplainedHeader[];
  /** Undefined if the request has no body. */
  readonly body: ExplainedBody | undefined;
  /**
   * The kind of credentials in the request, e.g. `api_key`; `none` if the request has no credentials, and
   * `unknown` if only a credentials function or a token endpoint knows them, which a dry run does not ask.
   */
  readonly credentials: string;
  readonly isRetry: boolean;
  /** Undefined in a dry run, and if there was no response. */
  readonly response: ExplainedResponse | undefined;
}
