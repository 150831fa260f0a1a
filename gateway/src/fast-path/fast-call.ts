import type { DescMethod } from "@bufbuild/protobuf";
import type { Compression } from "@connectrpc/connect/protocol";
import { parseTimeout, timeoutHeader } from "../call/deadline.ts";
import type { Protocol } from "../call/protocol.ts";
import type { HttpRequest } from "../listener/http.ts";
import type { StreamCall, StreamMethod } from "./call-stream.ts";
import type { UnaryCall, UnaryMethod } from "./call-unary.ts";
import * as connect from "./connect.ts";
import { connectStreamWire, streamHead } from "./connect-stream.ts";
import * as grpc from "./grpc.ts";
import { grpcStreamWire } from "./grpc-stream.ts";
import * as grpcWeb from "./grpc-web.ts";
import { grpcWebStreamWire } from "./grpc-web-stream.ts";
import type { Head } from "./wire.ts";

const wires = { connect: connect.connectWire, grpc: grpc.grpcWire, "grpc-web": grpcWeb.grpcWebWire };

const streamWires = { connect: connectStreamWire, grpc: grpcStreamWire, "grpc-web": grpcWebStreamWire };

/** A call that takes the fast path: with one response, or with a stream of them. */
export type FastCall =
  | { readonly kind: "unary"; readonly unary: UnaryCall }
  | { readonly kind: "stream"; readonly stream: StreamCall };

/** Methods that the fast path can call without their handlers. */
export interface FastMethods {
  readonly unaryOf: (method: DescMethod) => UnaryMethod | undefined;
  readonly streamOf: (method: DescMethod) => StreamMethod | undefined;
}

/**
 * Decides which path a call takes: the fast path with the result, or connect's path where that is undefined. The fast
 * path takes unary methods and server streams of adapters, called the way that clients usually do. Whatever has anything
 * else in its head, be it wrong or rare, takes connect's path and gets its response there.
 */
export function fastCallOf(
  request: HttpRequest,
  protocol: Protocol,
  method: DescMethod,
  { unaryOf, streamOf }: FastMethods,
  compressions: readonly Compression[],
): FastCall | undefined {
  if (!hasGoodTimeout(request, protocol)) return undefined;
  switch (method.methodKind) {
    case "unary": {
      const unary = unaryOf(method);
      const head = unary && headOf(request, protocol, method, compressions);
      return head && { kind: "unary", unary: { wire: wires[protocol], head, method: unary } };
    }
    case "server_streaming": {
      const stream = streamOf(method);
      const head = stream && streamHeadOf(request, protocol, compressions);
      return head && { kind: "stream", stream: { wire: streamWires[protocol], head, method: stream } };
    }
    default:
      return undefined;
  }
}

function hasGoodTimeout({ headers }: HttpRequest, protocol: Protocol): boolean {
  const given = headers[timeoutHeader(protocol)];
  return given === undefined || (typeof given === "string" && parseTimeout(protocol, given) !== undefined);
}

function headOf(
  request: HttpRequest,
  protocol: Protocol,
  method: DescMethod,
  compressions: readonly Compression[],
): Head | undefined {
  if (request.method === "GET") return connect.getHead(request, method, compressions);
  if (request.method !== "POST") return undefined;
  switch (protocol) {
    case "connect":
      return connect.postHead(request, compressions);
    case "grpc":
      return grpc.postHead(request, compressions);
    case "grpc-web":
      return grpcWeb.postHead(request, compressions);
  }
}

function streamHeadOf(
  request: HttpRequest,
  protocol: Protocol,
  compressions: readonly Compression[],
): Head | undefined {
  if (request.method !== "POST") return undefined;
  switch (protocol) {
    case "connect":
      return streamHead(request, compressions);
    case "grpc":
      return grpc.postHead(request, compressions);
    case "grpc-web":
      return grpcWeb.postHead(request, compressions);
  }
}
