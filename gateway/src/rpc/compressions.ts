import { Code, type ConnectError } from "@connectrpc/connect";
import { TurnBudget } from "connect-rest-codec/internal";
import { decompressSmall, isCoding } from "connect-rest-runtime/internal";
import { FairQueue, QueueFull } from "../admission/fair-queue.ts";
import { retryInfo } from "../admission/limit-rejection.ts";
import { gatewayError } from "../call/gateway-error.ts";
import type { Limits } from "../limits.ts";
import type { Decompress } from "../protocol/decompress.ts";
import { inflate } from "./inflate.ts";

/**
 * The maximum number of messages that are decompressed concurrently. Brotli allocates a window of up to 16
 * MiB even for a tiny message, so a few hundred small requests could otherwise take gigabytes.
 */
const MAX_DECOMPRESSING = 2;

/**
 * The maximum number of bytes that are decompressed synchronously in one event-loop turn. During a flood,
 * messages wait for later turns.
 */
const BYTES_AT_ONCE = 256 * 1024;

/**
 * The retry delay if the queue is full, in milliseconds. Decompressing a few hundred large messages takes
 * about this long.
 */
const RETRY_MS = 1000;

/**
 * Decompresses the messages of all calls: small messages synchronously, larger messages in a single queue in
 * which clients take turns.
 */
export function createDecompress({ readMaxBytes, queuedDecompressions }: Limits): Decompress {
  const queue = new FairQueue(MAX_DECOMPRESSING, queuedDecompressions);
  const atOnce = new TurnBudget(BYTES_AT_ONCE);
  return async (compression, bytes, { key }, signal) => {
    if (bytes.length === 0) return bytes;
    const { name } = compression;
    const small = signal.aborted ? undefined : decompressSmall(bytes, name, readMaxBytes, atOnce);
    if (small !== undefined) return small;
    const work = () =>
      isCoding(name)
        ? inflate(name, bytes, readMaxBytes, signal)
        : compression.decompress(bytes, readMaxBytes);
    try {
      return await queue.run(key, signal, work);
    } catch (error) {
      throw error instanceof QueueFull ? queueFull(queuedDecompressions) : error;
    }
  };
}

function queueFull(limit: number): ConnectError {
  const text = `${limit} compressed messages wait, the limit queuedDecompressions, most of them of this client; try again later`;
  return gatewayError("CALLS_EXCEEDED", text, Code.ResourceExhausted, [retryInfo(RETRY_MS)]);
}
