/**
 * Thrown for bytes that cannot be printed in parts. protobuf-es then prints the whole message or reports the
 * error.
 */
export class Unprintable extends Error {}

/** Reads the protobuf wire format (https://protobuf.dev/programming-guides/encoding). */
export class WireCursor {
  readonly bytes: Uint8Array;
  position: number;
  /** The lower and upper half of the last varint. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array, position: number) {
    this.bytes = bytes;
    this.position = position;
  }

  /** Reads a 64-bit integer into `low` and `high`. */
  varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) throw new Unprintable("a varint ends early");
      const bits = byte & 0x7f;
      if (shift <= 28) low |= bits << shift;
      if (shift === 28) high = bits >> 4;
      if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new Unprintable("a varint has more than ten bytes");
  }

  /** Reads a tag: field number and wire type. */
  tag(): number {
    const start = this.position;
    this.varint();
    if (this.low < 8 || this.position - start > 5 || this.high !== 0) throw new Unprintable("no tag");
    return this.low;
  }

  /** Reads the next tag if it equals `tag`, and reports whether it does. */
  nextIs(tag: number, end: number): boolean {
    const before = this.position;
    if (before < end && this.tag() === tag) return true;
    this.position = before;
    return false;
  }

  /** Returns the end of the length-delimited value at the current position. */
  end(limit: number): number {
    this.varint();
    const end = this.position + this.low;
    if (end > limit || this.high !== 0) throw new Unprintable("a value ends early");
    return end;
  }

  /** Skips a value. */
  skip(wireType: number, limit: number): void {
    if (wireType === 0) {
      this.varint();
    } else if (wireType === 1) {
      this.position += 8;
    } else if (wireType === 2) {
      this.position = this.end(limit);
    } else if (wireType === 5) {
      this.position += 4;
    } else {
      throw new Unprintable(`wire type ${wireType}`);
    }
    if (this.position > limit) throw new Unprintable("a value ends early");
  }
}
