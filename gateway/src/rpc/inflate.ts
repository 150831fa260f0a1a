import { Code, type ConnectError } from "@connectrpc/connect";
import { DecompressError, decompress } from "connect-rest-runtime/internal";
import { gatewayError } from "../call/gateway-error.ts";

/**
 * Decompresses a message in the same way as upstream responses: up to `maxBytes`, and until the signal is
 * aborted.
 *
 * @throws ConnectError with the codes and messages of connect-node, or the reason of the signal
 */
export async function inflate(
  coding: string,
  bytes: Uint8Array,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  try {
    return await decompress(bytes, coding, maxBytes, signal);
  } catch (error) {
    if (!(error instanceof DecompressError)) throw error;
    throw error.kind === "large" ? tooLarge(maxBytes) : failed(error);
  }
}

function tooLarge(maxBytes: number): ConnectError {
  const text = `message is larger than configured readMaxBytes ${maxBytes} after decompression`;
  return gatewayError("REQUEST_TOO_LARGE", text, Code.ResourceExhausted);
}

function failed(error: DecompressError): ConnectError {
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const status = /MEM|ALLOC|memory/.test(code) ? Code.Internal : Code.InvalidArgument;
  return gatewayError("REQUEST_MALFORMED", "decompression failed", status, [], error);
}
