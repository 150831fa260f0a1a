/** The protocols that the gateway speaks. */
export type Protocol = "connect" | "grpc" | "grpc-web";

/** The protocols of calls: also `mcp`, the Model Context Protocol, whose tools are methods. */
export type CallProtocol = Protocol | "mcp";

/**
 * Returns the protocol of a content type. Every content type that is not one of gRPC counts as Connect, which
 * accepts or rejects it.
 */
export function protocolOf(contentType: string | undefined): Protocol {
  const type = contentType?.toLowerCase() ?? "";
  if (/^application\/grpc-web(?:-text)?(?:[+;]|$)/.test(type)) return "grpc-web";
  return /^application\/grpc(?:[+;]|$)/.test(type) ? "grpc" : "connect";
}
