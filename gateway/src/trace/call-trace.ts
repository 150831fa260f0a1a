import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod } from "@bufbuild/protobuf";
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Caller } from "../call/caller.ts";
import { methodPath } from "../call/method-path.ts";
import type { Protocol } from "../call/protocol.ts";
import { version } from "../version.ts";
import { extractContext } from "./propagation.ts";

/** The span of a call. Without an OpenTelemetry SDK in the process it records nothing, and passes the context on. */
export interface CallTrace {
  /** The parent of the spans of its requests to upstreams. */
  readonly context: Context;
  /** 32 hexadecimal digits; undefined when neither the caller nor an SDK has begun a trace. */
  readonly traceId: string | undefined;
  /** Ends it with `ok` or the code of its error. */
  end(code: string): void;
}

/** A trace that is none, for calls that are made up in tests. */
export const noTrace: CallTrace = { context: ROOT_CONTEXT, traceId: undefined, end: () => undefined };

/** Where all spans of the gateway come from. */
export function tracer() {
  return trace.getTracer("connect-rest-gateway", version);
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
