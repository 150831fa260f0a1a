/** Bytes that this reader does not understand; who prints falls back to a full decoder, which says what is wrong. */
export class Unprintable extends Error {}

/** Reads the protobuf wire format (https://protobuf.dev/programming-guides/encoding). */
export class WireCursor {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  position = 0;
  /** The lower and the upper half of the varint that was read last. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** An unsigned integer of 32 bits; more of them are dropped. */
  varint32(): number {
    const byte = this.bytes[this.position] ?? 0x80;
    if (byte < 0x80) {
      this.position++;
      this.high = 0;
      return byte;
    }
    this.varint64();
    return this.low;
  }

  /** Field number and wire type. */
  tag(): number {
    const start = this.position;
    const tag = this.varint32();
    if (tag < 8 || this.position - start > 5 || this.high !== 0) throw new Unprintable("no tag");
    return tag;
  }

  /** Leaves an integer of 64 bits in `low` and `high`. */
  varint64(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.bytes[this.position++];
      if (byte === undefined) throw new Unprintable("a varint ends early");
      const bits = byte & 0x7f;
      if (shift < 28) {
        low |= bits << shift;
      } else if (shift === 28) {
        low |= bits << 28;
        high = bits >> 4;
      } else if (shift < 70) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new Unprintable("a varint has more than ten bytes");
  }

  fixed32(): number {
    return this.view.getUint32(this.step(4), true);
  }

  fixed64(): bigint {
    return this.view.getBigUint64(this.step(8), true);
  }

  float(): number {
    return this.view.getFloat32(this.step(4), true);
  }

  double(): number {
    return this.view.getFloat64(this.step(8), true);
  }

  /** Where a length-delimited value ends; it begins at the position. */
  end(limit: number): number {
    const length = this.varint32();
    const end = this.position + length;
    if (end > limit) throw new Unprintable("a value ends early");
    return end;
  }

  /** Passes over a value of a field that is not known. */
  skip(wireType: number, limit: number): void {
    if (wireType === 0) {
      this.varint64();
    } else if (wireType === 1) {
      this.step(8);
    } else if (wireType === 2) {
      this.position = this.end(limit);
    } else if (wireType === 5) {
      this.step(4);
    } else {
      throw new Unprintable(`wire type ${wireType}`);
    }
  }

  private step(size: number): number {
    const at = this.position;
    this.position += size;
    if (this.position > this.bytes.length) throw new Unprintable("a value ends early");
    return at;
  }
}
