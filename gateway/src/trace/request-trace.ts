import type { Attributes } from "@opentelemetry/api";
import type { RequestEnd, RequestReport } from "connect-rest-runtime";
import { type Call, currentCall } from "../call/call.ts";
import { registeredApi, tracingApi, tracingCore } from "./api.ts";
import { tracer } from "./call-trace.ts";
import { injectContext } from "./propagation.ts";
import { outcomeOfRequest } from "./request-outcome.ts";

/** The span of one request to an upstream. */
export interface RequestTrace {
  /** Headers that carry its context; undefined for none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /**
   * Sends the request without further spans and headers: auto-instrumentation of HTTP would send a trace
   * context of its own beside this one, and two of them are none. undefined where it may be sent as it is.
   */
  readonly run: (<T>(send: () => T) => T) | undefined;
  end(end: RequestEnd): void;
}

/** The trace of requests where nobody traces. */
const NONE: RequestTrace = { headers: undefined, run: undefined, end: () => undefined };

/**
 * Starts the span of a request, below that of its call. The path is not in it: it names what the caller asked
 * for, and a query may hold a key.
 */
export function startRequestTrace(call: Call | undefined, report: RequestReport): RequestTrace {
  // a call without a trace has neither an SDK above it, which gives each call one,
  // nor a caller's trace to go on with
  if (call !== undefined && call.trace.traceId === undefined) return NONE;
  // the same outside of calls, where only an SDK traces
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

/** Runs code of the user's within the span of the call, where its own requests are spans as well. */
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
