import { registeredApi, tracingApi } from "./api.ts";

/** A method that the providers of every SDK have, although the API does not declare it. */
interface Flushable {
  readonly forceFlush: () => unknown;
}

/**
 * Flushes the OpenTelemetry SDK, if one is registered, because SDKs send spans and log records in batches and
 * the process is about to exit. Never rejects: the SDK reports errors of its collector.
 */
export async function flushTelemetry(): Promise<void> {
  if (registeredApi() === undefined) return;
  const { logs, metrics, trace } = tracingApi();
  const tracing = trace.getTracerProvider();
  const providers: unknown[] = [
    isProxy(tracing) ? tracing.getDelegate() : tracing,
    logs.getLoggerProvider(),
    metrics.getMeterProvider(),
  ];
  await Promise.allSettled(providers.filter(isFlushable).map(async (provider) => provider.forceFlush()));
}

/**
 * Returns the reason why a loaded SDK produces no spans; undefined if the SDK works or none is loaded. An SDK
 * for an older version of the API registers itself in a location that the newer API does not check, and
 * nothing else reports that.
 */
export function telemetryProblem(): string | undefined {
  const global = registeredApi();
  if (global === undefined || !("trace" in global) || global.trace === undefined) return undefined;
  if (global.trace === tracingApi().trace.getTracerProvider()) return undefined;
  const version = "version" in global ? String(global.version) : "unknown";
  return `the OpenTelemetry SDK that is loaded uses version ${version} of @opentelemetry/api, which is older than the gateway's: there are no spans; update the SDK`;
}

/**
 * Returns whether a provider is the API's proxy for the SDK's provider. `instanceof` would not work, since
 * the SDK may use another copy of the API.
 */
function isProxy(provider: object): provider is { readonly getDelegate: () => unknown } {
  return "getDelegate" in provider && typeof provider.getDelegate === "function";
}

function isFlushable(provider: unknown): provider is Flushable {
  return (
    typeof provider === "object" &&
    provider !== null &&
    "forceFlush" in provider &&
    typeof provider.forceFlush === "function"
  );
}
