import type { Message } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import type { Code } from "@connectrpc/connect";

/**
 * The parts of the messages of `connectrpc.conformance.v1` that the server uses. The schema is read from the
 * suite's Go module, so that it always matches the suite.
 */
export interface Header {
  readonly name: string;
  readonly value: readonly string[];
}

export interface ErrorDefinition {
  readonly code: Code;
  readonly message?: string;
  readonly details: readonly Any[];
}

interface ResponseDefinition {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  readonly responseDelayMs: number;
}

export interface UnaryDefinition extends ResponseDefinition {
  readonly response:
    | { readonly case: "responseData"; readonly value: Uint8Array }
    | { readonly case: "error"; readonly value: ErrorDefinition }
    | { readonly case: undefined; readonly value?: undefined };
}

export interface StreamDefinition extends ResponseDefinition {
  readonly responseData: readonly Uint8Array[];
  readonly error?: ErrorDefinition;
}

export interface UnaryRequest extends Message {
  readonly responseDefinition?: UnaryDefinition;
}

export interface StreamRequest extends Message {
  readonly responseDefinition?: StreamDefinition;
  readonly fullDuplex?: boolean;
}

/** The runner's request to the server that it starts. */
export interface ServerCompatRequest extends Message {
  readonly useTls: boolean;
  readonly clientTlsCert: Uint8Array;
  readonly messageReceiveLimit: number;
  readonly serverCreds?: { readonly cert: Uint8Array; readonly key: Uint8Array };
}
