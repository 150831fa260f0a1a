import type { Attributes } from "@opentelemetry/api";
import type { RequestEnd, RequestReport } from "connect-rest-runtime";
import { type Call, currentCall } from "../call/call.ts";
import { registeredApi, tracingApi, tracingCore } from "./api.ts";
import { tracer } from "./call-trace.ts";
import { injectContext } from "./propagation.ts";
import { outcomeOfRequest } from "./request-outcome.ts";

/** The span of one upstream request. */
export interface RequestTrace {
  /** Headers that carry the trace context; undefined if the request is not traced. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /**
   * Sends the request with tracing suppressed. Otherwise HTTP auto-instrumentation would add a second trace
   * context, and two contexts are both invalid. Undefined if the request is not traced.
   */
  readonly run: (<T>(send: () => T) => T) | undefined;
  end(end: RequestEnd): void;
}

/** The trace object for a request that is not traced. */
const NONE: RequestTrace = { headers: undefined, run: undefined, end: () => undefined };

/**
 * Starts the span of a request as a child of its call's span. The span does not contain the path or the
 * query: the path reveals the caller's request, and the query may contain a key.
 */
export function startRequestTrace(call: Call | undefined, report: RequestReport): RequestTrace {
  // without a trace ID, there is neither an SDK, which would start a trace for each call, nor a caller's
  // trace to continue
  if (call !== undefined && call.trace.traceId === undefined) return NONE;
  // outside of calls, requests are traced only if there is an SDK
  if (call === undefined && registeredApi() === undefined) return NONE;
  const { context, isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = tracingApi();
  const { upstream, verb } = report;
  const parent = call?.trace.context ?? ROOT_CONTEXT;
  const attributes = attributesOf(call, report);
  const span = tracer().startSpan(`${verb} ${upstream}`, { kind: SpanKind.CLIENT, attributes }, parent);
  const own = trace.setSpan(parent, span);
  return {
    headers: isSpanContextValid(span.spanContext()) ? injectContext(own) : {},
    run: (send) => context.with(tracingCore().suppressTracing(own), send),
    end: (end) => {
      const { status } = end;
      if (status !== undefined) span.setAttribute("http.response.status_code", status);
      if (status === undefined || status >= 400) {
        const type = outcomeOfRequest(end);
        span.setAttribute("error.type", type);
        span.setStatus({ code: SpanStatusCode.ERROR, message: type });
      }
      span.end();
    },
  };
}

/**
 * Runs the user's code within the call's span, so that the requests that this code makes become children of
 * the span.
 */
export function traced<T>(work: () => T): T {
  const call = currentCall();
  return call === undefined ? work() : call.trace.run(work);
}

function attributesOf(call: Call | undefined, { upstream, verb, origin }: RequestReport): Attributes {
  const { protocol = "", hostname, port } = URL.parse(origin) ?? {};
  const resends = (call?.requests ?? 1) - 1;
  return {
    "http.request.method": verb,
    "url.scheme": protocol.replace(":", ""),
    "server.address": hostname,
    "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
    "connect_rest.upstream": upstream,
    ...(resends > 0 ? { "connect_rest.request_number": resends + 1 } : {}),
  };
}
