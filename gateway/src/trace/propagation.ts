import type { IncomingHttpHeaders } from "node:http";
import type { Context, TextMapGetter, TextMapPropagator } from "@opentelemetry/api";
import { tracingApi, tracingCore } from "./api.ts";

let w3c: TextMapPropagator | undefined;

const getter: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name.toLowerCase()],
};

/** Returns the propagator that an SDK has set, or W3C Trace Context by default. */
function propagator(): Pick<TextMapPropagator, "extract" | "inject"> {
  const { propagation } = tracingApi();
  if (propagation.fields().length > 0) return propagation;
  w3c ??= new (tracingCore().W3CTraceContextPropagator)();
  return w3c;
}

/** Returns the trace context that a caller sent; without one, the root context. */
export function extractContext(headers: IncomingHttpHeaders): Context {
  return propagator().extract(tracingApi().ROOT_CONTEXT, headers, getter);
}

/**
 * Returns the headers that carry a trace context to an upstream. Baggage is omitted, because it may contain
 * more than IDs.
 */
export function injectContext(context: Context): Record<string, string> {
  const headers = new Map<string, string>();
  propagator().inject(context, headers, {
    set: (carrier, name, value) => carrier.set(name.toLowerCase(), value),
  });
  headers.delete("baggage");
  return Object.fromEntries(headers);
}
