import type { DescMethod } from "@bufbuild/protobuf";
import type { Compression, UniversalHandler } from "@connectrpc/connect/protocol";
import type { Call } from "../call/call.ts";
import { callHandler } from "../connect-path/call-handler.ts";
import { callUnary, type UnaryMethod, type UnaryOptions } from "../fast-path/call-unary.ts";
import { fastCallOf } from "../fast-path/fast-call.ts";
import type { HttpRequest, HttpResponse } from "../listener/http.ts";
import type { RpcResponse } from "./respond.ts";

/** What both paths need. */
export interface DispatchOptions extends UnaryOptions {
  /** Methods that the fast path can call without their handlers. */
  readonly unaryOf: (method: DescMethod) => UnaryMethod | undefined;
  /** What messages may be compressed with. */
  readonly compressions: readonly Compression[];
}

/**
 * The fourth step of a call: runs it, on the fast path where that takes it, else through connect's handler. Resolves with
 * the response that is yet to be sent, or with undefined when the client is gone.
 */
export function dispatch(
  handler: UniversalHandler,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: DispatchOptions,
): Promise<RpcResponse | undefined> {
  const { protocol, method } = call;
  const fast = fastCallOf(request, protocol, method, options.unaryOf(method), options.compressions);
  return fast === undefined
    ? callHandler(handler, call, request, response, options)
    : callUnary(fast, call, request, response, options);
}
