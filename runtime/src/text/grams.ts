/** A text or a secret as numbers: bytes of a plain view, or UTF-16 units. */
export type Units = Uint16Array;

/** Random, so that no peer can write a text whose substrings all have the same hash. */
const BASE = Math.floor(Math.random() * 2 ** 31) | 1;

/** The factor of Fibonacci hashing, whose product has its best bits at the top. */
const GOLDEN = 0x9e3779b1;

/** Returns the hashes of all beginnings of a text. `hashOf` computes the hash of any substring from them. */
export function prefixHashes(units: Units): Int32Array {
  const hashes = new Int32Array(units.length + 1);
  let hash = 0;
  for (let at = 0; at < units.length; at++) {
    hash = (Math.imul(hash, BASE) + (units[at] ?? 0) + 1) | 0;
    hashes[at + 1] = hash;
  }
  return hashes;
}

/** All substrings of one length in a text. Building the index and each search take linear time. */
export class Grams {
  readonly length: number;
  private readonly units: Units;
  private readonly hashes: Int32Array;
  private readonly power: number;
  private readonly shift: number;
  /** The first position of each substring plus one, in an open hash table. 0 marks a free slot. */
  private readonly slots: Int32Array;
  /** The next position of the same substring, by position. -1 after the last one. */
  private readonly following: Int32Array;
  /** The last visitor of a substring, by its first position. */
  private readonly visitors = new Map<number, object>();

  /** @param hashes the prefix hashes of the text */
  constructor(units: Units, hashes: Int32Array, length: number) {
    this.units = units;
    this.length = length;
    let power = 1;
    for (let count = 0; count < length; count++) power = Math.imul(power, BASE);
    this.power = power;
    const count = Math.max(0, units.length - length + 1);
    const bits = Math.max(4, 33 - Math.clz32(count));
    this.shift = 32 - bits;
    this.slots = new Int32Array(2 ** bits);
    this.hashes = hashes;
    this.following = new Int32Array(count);
    // backwards, so that the first position of a substring is inserted last
    for (let at = count - 1; at >= 0; at--) {
      const slot = this.slotOf(units, hashes, at);
      this.following[at] = (this.slots[slot] ?? 0) - 1;
      this.slots[slot] = at + 1;
    }
  }

  /**
   * Returns the first position of a substring of another text, or -1.
   *
   * @param hashes the prefix hashes of the other text
   */
  first(units: Units, hashes: Int32Array, at: number): number {
    return (this.slots[this.slotOf(units, hashes, at)] ?? 0) - 1;
  }

  /** Returns the next position of the same substring, or -1. */
  next(position: number): number {
    return this.following[position] ?? -1;
  }

  /** Reports whether this is the first visit of a visitor to the substring with a first position. */
  visit(first: number, visitor: object): boolean {
    if (this.visitors.get(first) === visitor) return false;
    this.visitors.set(first, visitor);
    return true;
  }

  /** Returns the slot of a substring, or the free slot for it. */
  private slotOf(units: Units, hashes: Int32Array, at: number): number {
    const { slots, shift } = this;
    const hash = this.hashOf(hashes, at);
    const mask = slots.length - 1;
    let slot = Math.imul(hash, GOLDEN) >>> shift;
    for (let found = slots[slot] ?? 0; found !== 0; found = slots[slot] ?? 0) {
      if (this.hashOf(this.hashes, found - 1) === hash && this.isAt(found - 1, units, at)) break;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private hashOf(hashes: Int32Array, at: number): number {
    return ((hashes[at + this.length] ?? 0) - Math.imul(hashes[at] ?? 0, this.power)) | 0;
  }

  private isAt(position: number, units: Units, at: number): boolean {
    for (let offset = 0; offset < this.length; offset++) {
      if (this.units[position + offset] !== units[at + offset]) return false;
    }
    return true;
  }
}
