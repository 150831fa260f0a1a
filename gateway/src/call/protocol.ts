/** The protocols that the gateway speaks. */
export type Protocol = "connect" | "grpc" | "grpc-web";

/**
 * The protocol that a content type belongs to; everything that is not gRPC is Connect's to accept or reject.
 */
export function protocolOf(contentType: string | undefined): Protocol {
  const type = contentType?.toLowerCase() ?? "";
  if (/^application\/grpc-web(?:-text)?(?:[+;]|$)/.test(type)) return "grpc-web";
  return /^application\/grpc(?:[+;]|$)/.test(type) ? "grpc" : "connect";
}
