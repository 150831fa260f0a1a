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

/** Where all spans of the gateway come from. */
export function tracer() {
  return tracingApi().trace.getTracer(TRACER, VERSION);
}

/**
 * The codes that are a fault of the server, by the conventions of OpenTelemetry for gRPC and Connect. All
 * others say that the call was served as it should be, and what it asked for was not.
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
 * Starts the span of a call, below the caller's, or below that of the HTTP request where auto-instrumentation
 * has made one. Its attributes are names and numbers, by the semantic conventions for RPC: no message,
 * no header.
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
  const end = (code: string) => endSpan(span, protocol, code);
  const { traceId } = span.spanContext();
  // without an SDK and a caller's trace there is nothing to hand on
  const isValid = isSpanContextValid(span.spanContext());
  const own = isValid ? trace.setSpan(parent, span) : parent;
  const run = <T>(work: () => T) => context.with(own, work);
  return { context: own, run, traceId: isValid ? traceId : undefined, end };
}

/**
 * Whether there may be a trace: an SDK, which has set a tracer or a propagator, or a caller who has begun
 * one. Without them a span would be none, and have nothing to go on with.
 */
function isTraced({ headers }: HttpRequest): boolean {
  if (headers.traceparent !== undefined) return true;
  if (registeredApi() === undefined) return false;
  const { propagation, ProxyTracerProvider, trace } = tracingApi();
  if (propagation.fields().length > 0) return true;
  const provider = trace.getTracerProvider();
  // the API's own provider, until an SDK has set one
  return (
    !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(TRACER, VERSION) !== undefined
  );
}

/**
 * The span that is active belongs to this request where it goes on with its trace;
 * else it is something else's.
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
