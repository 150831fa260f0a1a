import type { DescMethod } from "@bufbuild/protobuf";
import type { Context, Span } from "@opentelemetry/api";
import { type CallTrace, noTrace } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { methodPath } from "../call/method-path.ts";
import type { Protocol } from "../call/protocol.ts";
import { type HttpRequest, isHttp2 } from "../listener/http.ts";
import { VERSION } from "../version.ts";
import { registeredApi, tracingApi } from "./api.ts";
import { extractContext } from "./propagation.ts";

const TRACER = "connect-rest-gateway";

/** Returns the tracer of all spans of the gateway. */
export function tracer() {
  return tracingApi().trace.getTracer(TRACER, VERSION);
}

/**
 * The codes that are server errors according to the OpenTelemetry conventions for gRPC and Connect. With
 * other codes, the server has worked correctly and rejected the client's request.
 */
const SERVER_FAULTS: ReadonlySet<string> = new Set([
  "unknown",
  "deadline_exceeded",
  "unimplemented",
  "internal",
  "unavailable",
  "data_loss",
]);

/**
 * Starts the span of a call. Its parent is the caller's span, or the HTTP request's span if
 * auto-instrumentation has created one. Attributes are names and numbers that follow the semantic conventions
 * for RPC; they contain no messages and no headers.
 */
export function startCallTrace(
  method: DescMethod,
  protocol: Protocol,
  caller: Caller,
  request: HttpRequest,
): CallTrace {
  if (!isTraced(request)) return noTrace;
  const { context, isSpanContextValid, SpanKind, trace } = tracingApi();
  const parent = parentOf(request);
  const socket = isHttp2(request) ? request.stream.session?.socket : request.socket;
  const attributes = {
    "rpc.system.name": protocol === "connect" ? "connectrpc" : "grpc",
    "rpc.method": methodPath(method),
    "server.address": socket?.localAddress,
    "server.port": socket?.localPort,
    "client.address": caller.client,
    "connect_rest.protocol": protocol,
    "connect_rest.request_id": caller.requestId,
  };
  const span = tracer().startSpan(methodPath(method), { kind: SpanKind.SERVER, attributes }, parent);
  const event: CallTrace["event"] = (name, attributes) => void span.addEvent(name, attributes);
  const end = (code: string) => endSpan(span, protocol, code);
  const { traceId } = span.spanContext();
  // without an SDK and without a caller's trace, no context is propagated
  const isValid = isSpanContextValid(span.spanContext());
  const own = isValid ? trace.setSpan(parent, span) : parent;
  const run = <T>(work: () => T) => context.with(own, work);
  return { context: own, run, traceId: isValid ? traceId : undefined, event, end };
}

/**
 * Returns whether a call may be traced: an SDK has set a tracer or a propagator, or the caller sends a trace.
 * Otherwise a span would have no effect.
 */
function isTraced({ headers }: HttpRequest): boolean {
  if (headers.traceparent !== undefined) return true;
  if (registeredApi() === undefined) return false;
  const { propagation, ProxyTracerProvider, trace } = tracingApi();
  if (propagation.fields().length > 0) return true;
  const provider = trace.getTracerProvider();
  // the provider is the API's own until an SDK sets one
  return (
    !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(TRACER, VERSION) !== undefined
  );
}

/**
 * Returns the parent of a call's span. The active span is the parent if it continues the request's trace; if
 * not, it belongs to other work.
 */
function parentOf(request: HttpRequest): Context {
  const { context, isSpanContextValid, trace } = tracingApi();
  const remote = extractContext(request.headers);
  const active = trace.getActiveSpan()?.spanContext();
  if (active === undefined || !isSpanContextValid(active)) return remote;
  const sent = trace.getSpanContext(remote)?.traceId;
  return sent === undefined || sent === active.traceId ? context.active() : remote;
}

function endSpan(span: Span, protocol: Protocol, code: string): void {
  const status = protocol === "connect" ? code : code.toUpperCase();
  // Connect has no code for success
  if (code !== "ok" || protocol !== "connect") span.setAttribute("rpc.response.status_code", status);
  if (code !== "ok") span.setAttribute("error.type", status);
  if (SERVER_FAULTS.has(code)) span.setStatus({ code: tracingApi().SpanStatusCode.ERROR, message: code });
  span.end();
}
