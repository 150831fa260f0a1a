import type { JsonValue } from "connect-rest-codec/internal";

/** The input of a generated response decoder: the response without its envelope. */
export interface RestResponse {
  /** HTTP status. */
  readonly status: number;
  /**
   * Returns the value of a response header. The name must be in lower case. Multiple values are joined by `,
   * `.
   */
  header(name: string): string | undefined;
  /** The payload. Undefined if the response has no body. */
  readonly payload: JsonValue | undefined;
  /** The raw body, if the method's response encoding is `bytes`. */
  readonly bytes: Uint8Array | undefined;
}
