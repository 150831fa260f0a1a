import { createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { type Call, callKey } from "../call/call.ts";
import { deadlineExceeded, hungUp } from "../call/call-errors.ts";
import { applyDeadline } from "../call/deadline.ts";
import { protocolOf } from "../call/protocol.ts";
import type { Limits } from "../limits.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { type HttpRequest, type HttpResponse, isSent, outgoing } from "../listener/http.ts";
import { requestHeaders } from "../protocol/headers.ts";
import { checkQuery, gateKey, type ReadOptions, readRequest } from "./read-request.ts";
import { readBody } from "./request-body.ts";
import { wholeMessages } from "./whole-messages.ts";
import { withReasons } from "./with-reasons.ts";

/** The options that all calls of connect's handlers share. */
export type HandlerOptions = Omit<ReadOptions, "call" | "signal">;

/**
 * Runs one call through connect's handler and returns its response. Replaces connect-node's adapter, which
 * builds a URL from the peer's Host header, has no timers, and prints to the console.
 */
export async function callHandler(
  handler: UniversalHandler,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: HandlerOptions,
): Promise<UniversalServerResponse> {
  const { limits } = options;
  const headers = requestHeaders(request);
  applyDeadline(headers, protocolOf(request.headers["content-type"]), call.deadline);
  const abort = new AbortController();
  // The call may have waited for admission before this point.
  const leftMs = Math.max(0, call.startedAt + call.deadline.ms - performance.now());
  call.running = { stop: (error) => abort.abort(error) };
  const callbacks = new Callbacks((error) => abort.abort(error));
  const timer = callbacks.after(leftMs, () => abort.abort(deadlineExceeded(call.deadline)));
  callbacks.once(outgoing(response), "close", () => {
    timer.stop();
    // once the whole response is sent, no error is created: creating an error is expensive, and nothing would
    // receive it
    if (!isSent(response)) abort.abort(hungUp(call));
  });
  // a call past its deadline is not served, even if its timer has not fired yet
  if (leftMs === 0) abort.abort(deadlineExceeded(call.deadline));
  const chunks = readBody(request, call, abort.signal, idleLimit(call, limits));
  const enveloped = isEnveloped(call, headers);
  const pieces = wholeMessages(chunks, enveloped, limits.readMaxBytes);
  const reading = { ...options, call, signal: abort.signal };
  const gate = async () => {
    abort.signal.throwIfAborted();
    if (request.method === "GET") await checkQuery(request, reading);
  };
  const result = await handler({
    httpVersion: request.httpVersion,
    method: request.method ?? "",
    // Only the query comes from the client; the path is known, so the URL is always valid.
    url: `http://gateway${request.url}`,
    header: headers,
    body: readRequest(pieces, enveloped, headers, reading),
    signal: abort.signal,
    contextValues: createContextValues().set(callKey, call).set(gateKey, gate),
  });
  return await withReasons(result, enveloped, call, options.compressions);
}

/**
 * Returns whether messages are enveloped. Only unary Connect calls send their message without an envelope.
 */
function isEnveloped({ protocol }: Call, headers: Headers): boolean {
  return protocol !== "connect" || /^application\/connect\+/i.test(headers.get("content-type") ?? "");
}

/** Returns the idle timeout for the body, or 0 for client streams, which may pause between messages. */
function idleLimit(call: Call, limits: Limits): number {
  const kind = call.method.methodKind;
  return kind === "client_streaming" || kind === "bidi_streaming" ? 0 : limits.bodyIdleTimeoutMs;
}
