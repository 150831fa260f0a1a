import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { RequestEnd } from "connect-rest";
import { tracer } from "./call-trace.ts";
import { injectContext } from "./propagation.ts";

/** The span of one request to an upstream. */
export interface RequestTrace {
  /** Headers that carry its context. */
  readonly headers: Readonly<Record<string, string>>;
  end(end: RequestEnd): void;
}

/**
 * Starts the span of a request, below that of its call. The path is not in it: it names what the caller asked for,
 * and a query may hold a key.
 */
export function startRequestTrace(parent: Context | undefined, upstream: string, verb: string): RequestTrace {
  const context = parent ?? ROOT_CONTEXT;
  const attributes = { "http.request.method": verb, "connect_rest.upstream": upstream };
  const span = tracer().startSpan(`${verb} ${upstream}`, { kind: SpanKind.CLIENT, attributes }, context);
  return {
    headers: isSpanContextValid(span.spanContext()) ? injectContext(trace.setSpan(context, span)) : {},
    end: ({ status }) => {
      if (status !== undefined) span.setAttribute("http.response.status_code", status);
      if (status === undefined || status >= 400) {
        const message = status === undefined ? "no response" : String(status);
        span.setStatus({ code: SpanStatusCode.ERROR, message });
      }
      span.end();
    },
  };
}
