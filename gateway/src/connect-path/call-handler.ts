import { Code, createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { fullName } from "connect-rest-runtime/internal";
import { type Call, callKey } from "../call/call.ts";
import { deadlineExceeded, hungUp } from "../call/call-errors.ts";
import { applyDeadline } from "../call/deadline.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { type HttpRequest, type HttpResponse, isSent, outgoing } from "../listener/http.ts";
import { refusalHeaders, refusalText } from "../listener/refusal.ts";
import { errorResponse } from "../protocol/error-response.ts";
import { requestHeaders } from "../protocol/headers.ts";
import type { WholeResponse } from "../protocol/whole-response.ts";
import { show } from "../text/show.ts";
import { checkQuery, gateKey, type ReadOptions, readRequest } from "./read-request.ts";
import { readBody } from "./request-body.ts";
import { wholeMessages } from "./whole-messages.ts";
import { withReasons } from "./with-reasons.ts";

/** What calls of connect's handlers share. */
export type HandlerOptions = Omit<ReadOptions, "call" | "signal">;

/**
 * Runs one call through connect's handler, whose response is yet to be sent. In place of connect-node's glue, which
 * builds an address from the peer's Host header, has no timers, and prints to the console.
 */
export async function callHandler(
  handler: UniversalHandler,
  call: Call,
  request: HttpRequest,
  response: HttpResponse,
  options: HandlerOptions,
): Promise<UniversalServerResponse | WholeResponse> {
  const { limits } = options;
  const headers = requestHeaders(request);
  applyDeadline(headers, call.protocol, call.deadline);
  const abort = new AbortController();
  // The call may have waited before it came here.
  const leftMs = Math.max(0, call.startedAt + call.deadline.ms - performance.now());
  call.running = { stop: (error) => abort.abort(error) };
  const callbacks = new Callbacks((error) => abort.abort(error));
  const timer = callbacks.after(leftMs, () => abort.abort(deadlineExceeded(call.deadline)));
  callbacks.once(outgoing(response), "close", () => {
    timer.stop();
    // an error is costly to make, and nobody listens any more once all is sent
    if (!isSent(response)) abort.abort(hungUp(call));
  });
  // one that is due is not read, be there a timer's tick or not
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
    // The path is a known one, so this is an address whatever the query holds.
    url: `http://gateway${request.url}`,
    header: headers,
    body: readRequest(pieces, enveloped, headers, reading),
    signal: abort.signal,
    contextValues: createContextValues().set(callKey, call).set(gateKey, gate),
  });
  if (!isBareRefusal(result)) return await withReasons(result, enveloped, call, options.compressions);
  call.refusedStatus = result.status;
  return explainedRefusal(result.status, handler, call, request);
}

/** Connect sends the one message of a unary call as it is, and all others in envelopes. */
function isEnveloped({ protocol }: Call, headers: Headers): boolean {
  return protocol !== "connect" || /^application\/connect\+/i.test(headers.get("content-type") ?? "");
}

/** A client may be silent between the messages of a stream of its own, and nowhere else. */
function idleLimit(call: Call, limits: Limits): number {
  const kind = call.method.methodKind;
  return kind === "client_streaming" || kind === "bidi_streaming" ? 0 : limits.bodyIdleTimeoutMs;
}

/** connect refuses a wrong verb, content type or HTTP version with a status alone. */
function isBareRefusal(result: UniversalServerResponse): boolean {
  return result.body === undefined && result.status >= 400;
}

/** The response that says why connect refused a request: to gRPC in its words, else as a text, since no protocol is known. */
function explainedRefusal(
  status: number,
  handler: UniversalHandler,
  call: Call,
  request: HttpRequest,
): WholeResponse {
  const message = reasonText(status, fullName(call.method), handler, request);
  const headers = negotiationHeaders(status, handler);
  if (call.protocol === "connect" && status !== 505) {
    const refusal = { status, code: "unimplemented", message, headers };
    return { status, headers: refusalHeaders(refusal), body: Buffer.from(refusalText(refusal)) };
  }
  const error = gatewayError("PROTOCOL_UNSUPPORTED", message, Code.Unimplemented);
  const refusal = errorResponse(call.protocol, request.headers["content-type"], error, status);
  return { ...refusal, headers: { ...refusal.headers, ...headers } };
}

/** RFC 9110 sections 15.5.6 and 15.5.16; Accept-Post is from W3C's Linked Data Platform, section 7.1. */
function negotiationHeaders(status: number, handler: UniversalHandler): Record<string, string> {
  switch (status) {
    case 405:
      return { allow: handler.allowedMethods.join(", ") };
    case 415:
      return { "accept-post": contentTypesOf(handler) };
    case 505:
      return { connection: "close" };
    default:
      return {};
  }
}

function reasonText(status: number, name: string, handler: UniversalHandler, request: HttpRequest): string {
  const contentType = request.headers["content-type"];
  switch (status) {
    case 405:
      return `${name} takes ${handler.allowedMethods.join(" or ")}; the request is a ${show(request.method ?? "")}`;
    case 415:
      return `${name} takes ${contentTypesOf(handler)}; ${contentType === undefined ? "the request has no content-type" : `the content-type is ${show(contentType)}`}`;
    case 505:
      return `${name} streams in both directions, which needs HTTP/2; the request came over HTTP/${request.httpVersion}`;
    default:
      return `${name} refused the request with HTTP status ${status}`;
  }
}

function contentTypesOf(handler: UniversalHandler): string {
  const unary = ["application/json", "application/proto"];
  const stream = ["application/connect+json", "application/connect+proto"];
  const connect = handler.method.methodKind === "unary" ? unary : stream;
  return [...connect, "application/grpc", "application/grpc-web"].join(", ");
}
