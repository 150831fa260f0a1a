/** A call as a client program reads it from standard input. */
export interface ClientCall {
  readonly name: string;
  /** `host:port`. */
  readonly target: string;
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly kind: "unary" | "serverStream" | "clientStream" | "bidiStream";
  /** Encoded, as base64. */
  readonly messages: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** The content subtype, where the client lets one choose it. */
  readonly codec?: string;
  /** What the messages are compressed by, where the client has it. */
  readonly compression?: string;
  /** The service config of gRPC, in JSON. */
  readonly config?: string;
}

/** What a client program writes about a call to standard output. */
export interface ClientResult {
  readonly name: string;
  readonly code: number;
  readonly message: string;
  /** A google.rpc.Status as base64; empty where the response has none. */
  readonly details: string;
  /** How many messages came before the status. */
  readonly responses: number;
}
