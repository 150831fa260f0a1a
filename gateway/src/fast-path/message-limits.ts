import { Code, ConnectError } from "@connectrpc/connect";

/**
 * Holds a request message to its limit, of which `bytes` are known. `isAll` says whether that is its whole size.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED
 */
export function checkReadBytes(bytes: number, maxBytes: number, isAll: boolean): void {
  if (bytes <= maxBytes) return;
  const size = isAll ? ` ${bytes}` : "";
  const text = `message size${size} is larger than configured readMaxBytes ${maxBytes}`;
  throw new ConnectError(text, Code.ResourceExhausted);
}

/**
 * Holds a response message to its limit.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED
 */
export function checkWriteBytes(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  const text = `message size ${bytes} is larger than configured writeMaxBytes ${maxBytes}`;
  throw new ConnectError(text, Code.ResourceExhausted);
}
