/** A call that a client program reads from standard input. */
export interface ClientCall {
  readonly name: string;
  /** `host:port`. */
  readonly target: string;
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly kind: "unary" | "serverStream" | "clientStream" | "bidiStream";
  /** Encoded messages, as base64. */
  readonly messages: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** The content subtype, for clients that support a choice. */
  readonly codec?: string;
  /** The compression of the messages, for clients that support it. */
  readonly compression?: string;
  /** The gRPC service config, in JSON. */
  readonly config?: string;
}

/** The output of a client program for a call. */
export interface ClientResult {
  readonly name: string;
  readonly code: number;
  readonly message: string;
  /** A google.rpc.Status as base64; empty if the response has no details. */
  readonly details: string;
  /** The number of messages before the status. */
  readonly responses: number;
}
