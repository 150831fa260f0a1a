import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import { isSpanContextValid, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { CallTrace } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import { methodPath } from "../call/method-path.ts";
import type { Protocol } from "../call/protocol.ts";
import { VERSION } from "../version.ts";
import { extractContext } from "./propagation.ts";

/** Where all spans of the gateway come from. */
export function tracer() {
  return trace.getTracer("connect-rest-gateway", VERSION);
}

/** Starts the span of a call, below the caller's. Its attributes are names and numbers: no message, no header. */
export function startCallTrace(
  method: DescMethod,
  protocol: Protocol,
  caller: Caller,
  headers: IncomingHttpHeaders,
): CallTrace {
  const parent = extractContext(headers);
  const attributes = {
    "rpc.system": protocol === "connect" ? "connect_rpc" : "grpc",
    "rpc.service": method.parent.typeName,
    "rpc.method": method.name,
    "client.address": caller.client,
    "connect_rest.protocol": protocol,
    "connect_rest.request_id": caller.requestId,
  };
  const span = tracer().startSpan(methodPath(method), { kind: SpanKind.SERVER, attributes }, parent);
  const end = (code: string) => endSpan(span, code);
  const { traceId } = span.spanContext();
  // without an SDK and a caller's trace there is nothing to hand on
  if (!isSpanContextValid(span.spanContext())) return { context: parent, traceId: undefined, end };
  return { context: trace.setSpan(parent, span), traceId, end };
}

function endSpan(span: Span, code: string): void {
  span.setAttribute("connect_rest.code", code);
  if (code !== "ok") span.setStatus({ code: SpanStatusCode.ERROR, message: code });
  span.end();
}
