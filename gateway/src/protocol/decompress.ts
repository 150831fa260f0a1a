import type { Compression } from "@connectrpc/connect/protocol";
import type { Call } from "../call/call.ts";

/**
 * Decompresses a message of a call, when it is the call's turn: at most `maxBytes`, and no further once the
 * signal is aborted.
 *
 * @throws ConnectError RESOURCE_EXHAUSTED for more bytes, or when too many others wait; INVALID_ARGUMENT or
 *   INTERNAL for what is not compressed so; the reason of the signal
 */
export type Decompress = (
  compression: Compression,
  bytes: Uint8Array,
  call: Pick<Call, "key">,
  signal: AbortSignal,
) => Promise<Uint8Array>;
