import type { Compression } from "@connectrpc/connect/protocol";
import type { Call } from "../call/call.ts";

/**
 * Waits for the call's turn, then decompresses a message. Stops when the signal is aborted.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED over `maxBytes` or if too many other messages wait;
 *   INVALID_ARGUMENT or INTERNAL for data that is not compressed in this way; the reason of the signal
 */
export type Decompress = (
  compression: Compression,
  bytes: Uint8Array,
  call: Pick<Call, "key">,
  signal: AbortSignal,
) => Promise<Uint8Array>;
