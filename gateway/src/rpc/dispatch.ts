import type { Compression, UniversalHandler } from "@connectrpc/connect/protocol";
import type { Call } from "../call/call.ts";
import { callHandler } from "../connect-path/call-handler.ts";
import { callStream, callWatch, type StreamCall, type StreamOptions } from "../fast-path/call-stream.ts";
import type { DetachedWatch } from "../fast-path/detached-watch.ts";
import type { FastMethods } from "../fast-path/fast-call.ts";
import type { UnsupportedStatus } from "../fast-path/head.ts";
import { type Exchange, type HttpRequest, type HttpResponse, isHttp2 } from "../listener/http.ts";
import type { RpcResponse } from "./respond.ts";
import { unsupportedResponse } from "./unsupported.ts";

/** Options that the fast path and the connect path share. */
export interface DispatchOptions extends StreamOptions, FastMethods {
  /** The supported compressions of messages. */
  readonly compressions: readonly Compression[];
}

/** The properties of a call that its head determines. */
export interface Way {
  /** Set if the call is a stream on the fast path. */
  readonly stream?: StreamCall | undefined;
  /** Set if the head matches no protocol. */
  readonly unsupported?: UnsupportedStatus | undefined;
}

/**
 * The fourth step of a call: runs it, either as a stream on the fast path or through connect's handler.
 * Resolves to the response to send, a detached stream, or undefined if the client has disconnected.
 */
export async function dispatch(
  handler: UniversalHandler,
  { stream, unsupported }: Way,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  exchange: Exchange,
  options: DispatchOptions,
): Promise<RpcResponse | DetachedWatch | undefined> {
  if (unsupported !== undefined) {
    call.rejectedStatus = unsupported;
    return unsupportedResponse(unsupported, handler, call, request);
  }
  if (stream === undefined) return callHandler(handler, call, request, response, options);
  const { watch } = stream.method;
  return watch === undefined || !isHttp2(request)
    ? callStream(stream, call, request, response, options)
    : callWatch(stream, watch, call, request, response, () => exchange.detach(), options);
}
