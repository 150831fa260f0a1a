import type { Pacer } from "../time/pacer.ts";

/** The most items of a batch. */
const BATCH_SIZE = 64;

/**
 * What the chunks of a body hold, in batches: a promise for each of many small items would cost more than
 * they do. Between batches the pacer pauses. Items in front of a fault come before it is thrown.
 *
 * @param split the items that a chunk completes; asked for the next one only
 * when the one before was delivered
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
