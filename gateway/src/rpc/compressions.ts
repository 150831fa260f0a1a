import type { Compression } from "@connectrpc/connect/protocol";
import { Semaphore } from "./semaphore.ts";

/**
 * Messages that are decompressed at the same time. Brotli takes a window of up to 16 MiB for each, however small the
 * message is, so that a few hundred small requests would otherwise take gigabytes.
 */
const MAX_DECOMPRESSING = 2;

/** The compressions with one queue for all that is decompressed. */
export function withBoundedDecompression(compressions: readonly Compression[]): Compression[] {
  const semaphore = new Semaphore(MAX_DECOMPRESSING);
  return compressions.map((compression) => ({
    ...compression,
    decompress: (bytes, maxBytes) => semaphore.run(() => compression.decompress(bytes, maxBytes)),
  }));
}
