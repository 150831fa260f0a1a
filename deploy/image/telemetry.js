/**
 * Sends the spans of the gateway to the collector at OTEL_EXPORTER_OTLP_ENDPOINT. Without this variable, loads no SDK.
 */
if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) {
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  new NodeSDK().start();
}
