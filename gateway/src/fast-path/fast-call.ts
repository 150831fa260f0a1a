import type { DescMethod } from "@bufbuild/protobuf";
import type { Protocol } from "../call/protocol.ts";
import type { StreamCall, StreamMethod } from "./call-stream.ts";
import type { UnaryCall, UnaryMethod } from "./call-unary.ts";
import { connectWire } from "./connect.ts";
import { connectStreamWire } from "./connect-stream.ts";
import { grpcWire } from "./grpc.ts";
import { grpcStreamWire } from "./grpc-stream.ts";
import { grpcWebWire } from "./grpc-web.ts";
import { grpcWebStreamWire } from "./grpc-web-stream.ts";
import type { Head } from "./wire.ts";

const wires = { connect: connectWire, grpc: grpcWire, "grpc-web": grpcWebWire };

const streamWires = { connect: connectStreamWire, grpc: grpcStreamWire, "grpc-web": grpcWebStreamWire };

/** A call on the fast path, with either a single response or a response stream. */
export type FastCall =
  | { readonly kind: "unary"; readonly unary: UnaryCall }
  | { readonly kind: "stream"; readonly stream: StreamCall };

/** The methods that the fast path can call without connect's handlers. */
export interface FastMethods {
  readonly unaryOf: (method: DescMethod) => UnaryMethod | undefined;
  readonly streamOf: (method: DescMethod) => StreamMethod | undefined;
}

/**
 * Selects the path of a call: returns a call for the fast path, or undefined for connect's path. The fast
 * path serves the adapters' unary methods and server streams.
 */
export function fastCallOf(
  head: Head,
  protocol: Protocol,
  method: DescMethod,
  { unaryOf, streamOf }: FastMethods,
): FastCall | undefined {
  switch (method.methodKind) {
    case "unary": {
      const unary = unaryOf(method);
      return unary && { kind: "unary", unary: { wire: wires[protocol], head, method: unary } };
    }
    case "server_streaming": {
      const stream = streamOf(method);
      return stream && { kind: "stream", stream: { wire: streamWires[protocol], head, method: stream } };
    }
    default:
      return undefined;
  }
}
