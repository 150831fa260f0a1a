import type { Pacer } from "../time/pacer.ts";

/** The maximum number of items in a batch. */
const BATCH_SIZE = 64;

/**
 * Yields the items in a body's chunks in batches. For many small items, a promise for each item would cost
 * more than the item. Gives other work a turn between batches. Items before a fault are delivered before the
 * fault is thrown.
 *
 * @param split yields the items that a chunk completes, lazily
 */
export async function* batchesOf<T>(
  chunks: AsyncIterable<Uint8Array>,
  split: (chunk: Uint8Array) => Iterable<T>,
  pacer: Pacer,
): AsyncGenerator<readonly T[], undefined> {
  for await (const chunk of chunks) {
    for (const batch of inBatches(split(chunk))) {
      yield batch;
      await pacer.items(batch.length);
    }
  }
  return undefined;
}

function* inBatches<T>(items: Iterable<T>): Generator<readonly T[], undefined> {
  let batch: T[] = [];
  try {
    for (const item of items) {
      batch.push(item);
      if (batch.length < BATCH_SIZE) continue;
      yield batch;
      batch = [];
    }
  } catch (fault) {
    if (batch.length > 0) yield batch;
    throw fault;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
