import type { IncomingHttpHeaders } from "node:http";
import type { Context, TextMapGetter, TextMapPropagator } from "@opentelemetry/api";
import { tracingApi, tracingCore } from "./api.ts";

let w3c: TextMapPropagator | undefined;

const getter: TextMapGetter<IncomingHttpHeaders> = {
  keys: (headers) => Object.keys(headers),
  get: (headers, name) => headers[name.toLowerCase()],
};

/** The process's own propagator where an SDK has set one, else that of W3C Trace Context. */
function propagator(): Pick<TextMapPropagator, "extract" | "inject"> {
  const { propagation } = tracingApi();
  if (propagation.fields().length > 0) return propagation;
  w3c ??= new (tracingCore().W3CTraceContextPropagator)();
  return w3c;
}

/** The trace context that a caller sent; the root when there is none. */
export function extractContext(headers: IncomingHttpHeaders): Context {
  return propagator().extract(tracingApi().ROOT_CONTEXT, headers, getter);
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
