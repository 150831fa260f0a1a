/** Headers or trailers by their names in lower case. */
type Fields = Readonly<Record<string, string | string[]>>;

/** A response whose body comes in chunks, each when the client has taken those before it. */
export interface StreamedResponse {
  readonly status: number;
  /** Complete when the first chunk, or the end, is there. */
  readonly headers: () => Fields;
  readonly chunks: Pick<AsyncIterator<Uint8Array, undefined>, "next" | "return">;
  /** Complete behind the last chunk; undefined for none. */
  readonly trailers: () => Fields | undefined;
}
