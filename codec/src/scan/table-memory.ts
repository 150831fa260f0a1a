import type { WasmInstance } from "./wasm.ts";

const ENCODER = new TextEncoder();

export interface HashTable {
  readonly at: number;
  readonly mask: number;
}

/** Writes words, strings and hash tables into the memory of the scanner, each string once. */
export class TableMemory {
  private readonly wasm: WasmInstance;
  private readonly texts = new Map<string, number>();

  constructor(wasm: WasmInstance) {
    this.wasm = wasm;
  }

  /**
   * Writes a hash table. Each row has the hash, the address and the length of a string, and further words.
   */
  hashed(
    entries: ReadonlyArray<readonly [text: string, words: readonly number[]]>,
    rowWords: number,
  ): HashTable {
    let size = 4;
    while (size < entries.length * 2) size *= 2;
    const mask = size - 1;
    const texts = entries.map(([text]) => this.text(text));
    const at = this.wasm.allocate(size * rowWords * 4);
    for (const [index, [text, words]] of entries.entries()) {
      // JavaScript handles strings with escapes
      if (isEscaped(text)) continue;
      const from = texts[index] ?? 0;
      const length = byteLength(text);
      const hash = this.wasm.exports.hash(from, length) >>> 0;
      let row = (hash >>> 4) & mask;
      while (this.wasm.words[at / 4 + row * rowWords] !== 0) row = (row + 1) & mask;
      this.fill(at + row * rowWords * 4, [hash, from, length, ...words]);
    }
    return { at, mask };
  }

  text(text: string): number {
    const known = this.texts.get(text);
    if (known !== undefined) return known;
    const bytes = ENCODER.encode(text);
    // strings are compared in blocks of 32 bytes, with zeros after a shorter string
    const at = this.wasm.allocate(bytes.length + 32);
    this.wasm.bytes.set(bytes, at);
    this.texts.set(text, at);
    return at;
  }

  write(words: readonly number[]): number {
    const at = this.wasm.allocate(words.length * 4);
    this.fill(at, words);
    return at;
  }

  fill(at: number, words: readonly number[]): void {
    for (const [index, word] of words.entries()) this.wasm.words[at / 4 + index] = word;
  }
}

function isEscaped(text: string): boolean {
  return JSON.stringify(text) !== `"${text}"`;
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
