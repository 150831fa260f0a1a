import type { IncomingHttpHeaders } from "node:http";
import { type Context, propagation, ROOT_CONTEXT, type TextMapGetter } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";

const w3c = new W3CTraceContextPropagator();

const getter: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name.toLowerCase()],
};

/** The process's own propagator where an SDK has set one, else that of W3C Trace Context. */
function propagator(): Pick<W3CTraceContextPropagator, "extract" | "inject"> {
  return propagation.fields().length === 0 ? w3c : propagation;
}

/** The trace context that a caller sent; the root when there is none. */
export function extractContext(headers: IncomingHttpHeaders): Context {
  return propagator().extract(ROOT_CONTEXT, headers, getter);
}

/** The headers that carry a trace context to an upstream. Baggage stays here: it says more than ids. */
export function injectContext(context: Context): Record<string, string> {
  const headers = new Map<string, string>();
  propagator().inject(context, headers, {
    set: (carrier, name, value) => carrier.set(name.toLowerCase(), value),
  });
  headers.delete("baggage");
  return Object.fromEntries(headers);
}
