/** Headers or trailers by name, in lower case. */
type Fields = Readonly<Record<string, string | string[]>>;

/**
 * A response whose body is sent in chunks. Each chunk is sent once the client has taken the chunks before it.
 */
export interface StreamedResponse {
  readonly status: number;
  /** Returns the headers, which are complete once the first chunk or the end is available. */
  readonly headers: () => Fields;
  readonly chunks: Pick<AsyncIterator<Uint8Array, undefined>, "next" | "return">;
  /** Returns the trailers, which are complete after the last chunk; undefined without trailers. */
  readonly trailers: () => Fields | undefined;
}
