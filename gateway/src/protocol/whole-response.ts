/** A response that is complete before it is sent. The names of headers and trailers are in lower case. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array;
  readonly trailers?: Readonly<Record<string, string | string[]>>;
}
