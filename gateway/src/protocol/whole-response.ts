/** A response that is complete before it is sent. Names of headers and trailers in lower case. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Uint8Array;
  readonly trailers?: Readonly<Record<string, string | string[]>>;
}
