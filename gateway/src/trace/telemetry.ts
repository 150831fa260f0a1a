import { registeredApi, tracingApi } from "./api.ts";

/** What every SDK's providers have, and the API does not name. */
interface Flushable {
  readonly forceFlush: () => unknown;
}

/**
 * Hands over what the SDK of OpenTelemetry still holds, if there is one: an SDK sends spans and log records
 * in batches, and the process is about to end. Never rejects: a collector that
 * is away is the SDK's to report.
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
 * Says why there will be no spans, where an SDK is loaded that this process cannot use: one for an older
 * version of the API registers itself where this one does not look, and nobody else says so.
 * undefined where all is well.
 */
export function telemetryProblem(): string | undefined {
  const global = registeredApi();
  if (global === undefined || !("trace" in global) || global.trace === undefined) return undefined;
  if (global.trace === tracingApi().trace.getTracerProvider()) return undefined;
  const version = "version" in global ? String(global.version) : "unknown";
  return `the OpenTelemetry SDK that is loaded uses version ${version} of @opentelemetry/api, which is older than the gateway's: there are no spans; update the SDK`;
}

/**
 * Whether it is what the API registers for an SDK's provider. An SDK may have a copy of the API,
 * and so a class, of its own.
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
