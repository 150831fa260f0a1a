import type { Compression } from "@connectrpc/connect/protocol";

/**
 * Messages that are unpacked at the same time. Brotli takes a window of up to 16 MiB for each, however small the
 * message is, so that a few hundred small requests would otherwise take gigabytes.
 */
const unpackedAtOnce = 2;

/** Lets a few run at the same time, and the others wait in the order in which they came. */
export class Turns {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waits takes over the place; it never becomes free.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** The compressions with one queue for all that is unpacked. */
export function unpackedInTurn(compressions: readonly Compression[]): Compression[] {
  const turns = new Turns(unpackedAtOnce);
  return compressions.map((compression) => ({
    ...compression,
    decompress: (bytes, maxBytes) => turns.take(() => compression.decompress(bytes, maxBytes)),
  }));
}
