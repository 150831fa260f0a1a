import type { DescMethod } from "@bufbuild/protobuf";
import type { Compression } from "@connectrpc/connect/protocol";
import { parseTimeout, timeoutHeader } from "../call/deadline.ts";
import type { Protocol } from "../call/protocol.ts";
import type { HttpRequest } from "../listener/http.ts";
import type { UnaryCall, UnaryMethod } from "./call-unary.ts";
import * as connect from "./connect.ts";
import * as grpc from "./grpc.ts";
import * as grpcWeb from "./grpc-web.ts";
import type { Head } from "./wire.ts";

const wires = { connect: connect.connectWire, grpc: grpc.grpcWire, "grpc-web": grpcWeb.grpcWebWire };

/**
 * Decides which path a call takes: the fast path with the result, or connect's path where that is undefined. The fast
 * path takes unary methods of adapters, called the way that clients usually do. Whatever has anything else in its
 * head, be it wrong or rare, takes connect's path and gets its response there.
 */
export function fastCallOf(
  request: HttpRequest,
  protocol: Protocol,
  method: DescMethod,
  unary: UnaryMethod | undefined,
  compressions: readonly Compression[],
): UnaryCall | undefined {
  if (unary === undefined || method.methodKind !== "unary") return undefined;
  if (!hasGoodTimeout(request, protocol)) return undefined;
  const head = headOf(request, protocol, method, compressions);
  return head && { wire: wires[protocol], head, method: unary };
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
