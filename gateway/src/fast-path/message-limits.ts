import { Code } from "@connectrpc/connect";
import { gatewayError } from "../call/gateway-error.ts";

/**
 * Enforces the size limit of a request message while it arrives.
 *
 * @param bytes the number of bytes that have arrived so far
 * @param isAll whether the message is complete
 * @throws ConnectError RESOURCE_EXHAUSTED
 */
export function checkReadBytes(bytes: number, maxBytes: number, isAll: boolean): void {
  if (bytes <= maxBytes) return;
  const size = isAll ? ` ${bytes}` : "";
  const text = `message size${size} is larger than configured readMaxBytes ${maxBytes}`;
  throw gatewayError("REQUEST_TOO_LARGE", text, Code.ResourceExhausted);
}

/**
 * Enforces the size limit of a response message.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED
 */
export function checkWriteBytes(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const text = `message size ${bytes} is larger than configured writeMaxBytes ${maxBytes}`;
  throw gatewayError("RESPONSE_TOO_LARGE", text, Code.ResourceExhausted);
}
