import { BinaryReader } from "@bufbuild/protobuf/wire";
import { type Frame, type Hole, varintSize } from "./segment.ts";

const INITIAL_BYTES = 16 * 1024;
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const SHORT_STRING = 40;
/**
 * The length above which the UTF-8 size of a string is measured. Shorter strings reserve three bytes per
 * character.
 */
const LONG_STRING = 4096;
const TWO_32 = 0x1_0000_0000;

/**
 * Writes the protobuf wire format (protobuf.dev/programming-guides/encoding) into one growing buffer. The
 * class does not depend on JSON. Short strings are written without a native call. Space for the length of a
 * message is reserved before its content, which moves only if the reserved size was wrong.
 */
export class BytesWriter {
  private buffer: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  private position = 0;
  /** The positions whose content will be filled in later, in ascending order. */
  protected holes: Hole[] = [];
  /** Length-prefixed content that contains holes. Inner frames precede outer frames. */
  protected frames: Frame[] = [];
  private lastHole = -1;

  /** Empties the writer. Keeps its buffer unless a large response has enlarged it. */
  protected clear(): void {
    this.position = 0;
    this.withoutHoles();
    if (this.buffer.length > MAX_KEPT_BYTES) this.buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  private withoutHoles(): void {
    if (this.lastHole < 0) return;
    this.lastHole = -1;
    this.holes = [];
    this.frames = [];
  }

  /** Marks this position as a hole, whose content will be filled in later. */
  protected addHole(hole: Hole): void {
    this.holes.push(hole);
    this.lastHole = this.position;
  }

  /**
   * Returns a copy of the bytes written. The caller must empty the writer next, which releases a large
   * buffer.
   */
  protected copy(): Uint8Array<ArrayBuffer> {
    // a plain Uint8Array, since the bytes fields read from a Buffer would be Buffers
    const copied = new Uint8Array(this.buffer.subarray(0, this.position));
    if (this.buffer.length > MAX_KEPT_BYTES) this.clear();
    return copied;
  }

  /** Copies the bytes written. */
  copyTo(target: Uint8Array, at: number): void {
    target.set(this.buffer.subarray(0, this.position), at);
  }

  /** The number of bytes written. */
  get length(): number {
    return this.position;
  }

  private reserve(size: number): void {
    const needed = this.position + size;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.position);
    this.buffer = grown;
  }

  /** Writes a tag: field number and wire type (0 varint, 1 64-bit, 2 length-delimited, 5 32-bit). */
  protected tag(field: number, wireType: number): void {
    const tag = ((field << 3) | wireType) >>> 0;
    if (tag < 128) {
      this.reserve(11);
      this.buffer[this.position++] = tag;
    } else {
      this.varint32(tag);
    }
  }

  /** Writes an unsigned 32-bit integer. */
  protected varint32(value: number): void {
    this.reserve(5);
    let rest = value >>> 0;
    while (rest > 127) {
      this.buffer[this.position++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.buffer[this.position++] = rest;
  }

  /**
   * Writes a signed integer of at most 53 bits. A negative integer takes ten bytes, as in int32 and int64.
   */
  protected varintSafe(value: number): void {
    if (value >= 0 && value < TWO_32) {
      this.varint32(value);
    } else {
      const low = value >>> 0;
      this.varintSplit(low, ((value - low) / TWO_32) >>> 0);
    }
  }

  /** Writes a 64-bit integer, signed or unsigned, in two's complement. */
  protected varintBig(value: bigint): void {
    const bits = BigInt.asUintN(64, value);
    this.varintSplit(Number(bits & 0xffff_ffffn), Number(bits >> 32n));
  }

  private varintSplit(low: number, high: number): void {
    this.reserve(10);
    let lo = low;
    let hi = high;
    while (hi !== 0 || lo > 127) {
      this.buffer[this.position++] = (lo & 127) | 128;
      lo = ((lo >>> 7) | (hi << 25)) >>> 0;
      hi >>>= 7;
    }
    this.buffer[this.position++] = lo;
  }

  protected fixed32Bits(value: number): void {
    this.reserve(4);
    this.position = this.buffer.writeInt32LE(value | 0, this.position);
  }

  protected fixed64Bits(value: bigint): void {
    this.reserve(8);
    this.position = this.buffer.writeBigUInt64LE(BigInt.asUintN(64, value), this.position);
  }

  protected float32(value: number): void {
    this.reserve(4);
    this.position = this.buffer.writeFloatLE(value, this.position);
  }

  protected float64(value: number): void {
    this.reserve(8);
    this.position = this.buffer.writeDoubleLE(value, this.position);
  }

  /** Writes the length of bytes, then the bytes. */
  protected delimited(bytes: Uint8Array): void {
    this.varint32(bytes.length);
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.position);
    this.position += bytes.length;
  }

  /**
   * Writes a string as UTF-8, after its length. Replaces lone surrogates with U+FFFD, and returns false if
   * there are any.
   */
  protected utf8(value: string): boolean {
    const length = value.length;
    this.reserve((length > LONG_STRING ? Buffer.byteLength(value) : length * 3) + 5);
    if (length < SHORT_STRING && this.ascii(value, length)) return true;
    const start = this.position;
    const guess = varintSize(length);
    const written = this.buffer.write(value, start + guess, "utf8");
    this.position = start + guess + written;
    this.lengthAt(start, guess);
    return written === length || value.isWellFormed();
  }

  /** Writes a string as UTF-8, without its length. */
  protected utf8Alone(value: string): void {
    this.reserve(Buffer.byteLength(value));
    this.position += this.buffer.write(value, this.position, "utf8");
  }

  private ascii(value: string, length: number): boolean {
    const { buffer } = this;
    const start = this.position + 1;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code > 127) return false;
      buffer[start + index] = code;
    }
    buffer[start - 1] = length;
    this.position = start + length;
    return true;
  }

  /** Reserves `guess` bytes for a length and returns their position; `close` fills in the length. */
  protected open(guess: number): number {
    this.reserve(guess);
    const start = this.position;
    this.position += guess;
    return start;
  }

  /**
   * Fills in the length of the content written since `open`, and returns how many bytes the length took.
   */
  protected close(start: number, guess: number): number {
    const size = this.lengthAt(start, guess);
    if (this.lastHole >= start + guess) this.addFrame(start, guess, size);
    return size;
  }

  /** Records the length of a message whose holes are filled later, which increases the length. */
  private addFrame(start: number, guess: number, size: number): void {
    const { holes, frames } = this;
    const shift = size - guess;
    if (shift !== 0) {
      const body = start + guess;
      for (let index = holes.length - 1; (holes[index]?.at ?? -1) >= body; index--) {
        (holes[index] as Hole).at += shift;
      }
      for (let index = frames.length - 1; (frames[index]?.start ?? -1) >= body; index--) {
        const frame = frames[index] as Frame;
        frame.start += shift;
        frame.body += shift;
        frame.end += shift;
      }
      this.lastHole += shift;
    }
    frames.push({ start, body: start + size, end: this.position, holes: holes.length });
  }

  private lengthAt(start: number, guess: number): number {
    const body = start + guess;
    const length = this.position - body;
    const size = varintSize(length);
    if (size !== guess) {
      this.reserve(size);
      this.buffer.copyWithin(start + size, body, this.position);
    }
    this.position = start;
    this.varint32(length);
    this.position = start + size + length;
    return size;
  }

  /**
   * Returns the numbers of the fields written since `start` at the same nesting level, each with the position
   * where the field ends.
   */
  protected fieldsFrom(start: number): ReadonlyArray<{ readonly number: number; readonly end: number }> {
    const reader = new BinaryReader(this.buffer.subarray(start, this.position));
    const found: Array<{ readonly number: number; readonly end: number }> = [];
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      reader.skip(wireType, number);
      found.push({ number, end: start + reader.pos });
    }
    return found;
  }

  /** Discards everything written since the position `start`. */
  protected rewind(start: number): void {
    this.position = start;
    if (this.lastHole > start) this.rewindHoles(start);
  }

  /** Marks holes as void: their content is still read to report differences, but is not written. */
  private rewindHoles(start: number): void {
    const { holes, frames } = this;
    for (let index = holes.length - 1; (holes[index]?.at ?? -1) > start; index--) {
      const hole = holes[index] as Hole;
      hole.isVoid = true;
      hole.at = start;
    }
    while ((frames.at(-1)?.start ?? -1) >= start) frames.pop();
    this.lastHole = start;
  }
}
