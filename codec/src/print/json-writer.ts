const INITIAL_BYTES = 16 * 1024;
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const QUOTE = 0x22;
const SHORT_TEXT = 24;

/** What follows the backslash of a byte that JSON text cannot have as it is; 0 for bytes that it can (RFC 8259 section 7). */
const ESCAPES = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) ESCAPES[byte] = 0x75;
for (const [byte, letter] of Object.entries({
  8: "b",
  9: "t",
  10: "n",
  12: "f",
  13: "r",
  34: '"',
  92: "\\",
})) {
  ESCAPES[Number(byte)] = letter.charCodeAt(0);
}

/** So much of a text is written at a time, so that no room is made for all of it to be escapes. */
const TEXT_PIECE = 16 * 1024;
/** So much is written in several parts, where others are to have their turn. */
const LONG_TEXT = 4 * TEXT_PIECE;

/** What is written later, at a place of what is written now. It yields wherever it may pause. */
export interface Later {
  readonly at: number;
  readonly write: () => Iterable<undefined>;
  /** What it has written, once it has. */
  readonly parts: JsonPart[];
}

/** A part of a JSON text. */
export interface JsonPart {
  readonly bytes: Uint8Array;
  readonly later: readonly Later[];
}

/** Writes JSON as UTF-8 into one growing buffer. */
export class JsonWriter {
  private buffer: Buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  private length = 0;
  private readonly partBytes: number;
  private later: Later[] = [];

  /** @param partBytes how much is written before what comes is left to be written later; all of it by default */
  constructor(partBytes: number = Number.POSITIVE_INFINITY) {
    this.partBytes = partBytes;
  }

  /** Whether so much has been written that others should have their turn. */
  get isSpent(): boolean {
    return this.length >= this.partBytes;
  }

  /** Leaves something to be written later, at this place. */
  postpone(write: Later["write"]): void {
    this.later.push({ at: this.length, write, parts: [] });
  }

  /** What has been written since this was called before. */
  part(): JsonPart {
    const part = { bytes: this.copy(), later: this.later };
    this.clear();
    this.later = [];
    return part;
  }

  /** Bytes that are kept for what is written next. */
  get capacity(): number {
    return this.buffer.length;
  }

  /** Empties the writer. Its buffer is kept, unless one huge message made it huge. */
  clear(): void {
    this.length = 0;
    if (this.buffer.length > MAX_KEPT_BYTES) this.buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  /** A copy of what has been written, after which the writer is empty: idle, it keeps no huge buffer. */
  copy(): Uint8Array {
    const whole = Buffer.allocUnsafe(this.length);
    this.buffer.copy(whole, 0, 0, this.length);
    this.clear();
    return whole;
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  /** Text that JSON has as it is, and that is ASCII. */
  ascii(text: string): void {
    const { length } = text;
    this.reserve(length);
    const buffer = this.buffer;
    let at = this.length;
    for (let i = 0; i < length; i++) buffer[at++] = text.charCodeAt(i);
    this.length = at;
  }

  /** Bytes that are JSON already. */
  raw(bytes: Uint8Array): void {
    const { length } = bytes;
    this.reserve(length);
    const buffer = this.buffer;
    let at = this.length;
    if (length > SHORT_TEXT) {
      buffer.set(bytes, at);
      this.length = at + length;
      return;
    }
    for (let i = 0; i < length; i++) buffer[at++] = bytes[i] as number;
    this.length = at;
  }

  /** Whether a text is long enough to be left to `textLater`. */
  isLong(start: number, end: number): boolean {
    return end - start > LONG_TEXT && this.partBytes !== Number.POSITIVE_INFINITY;
  }

  /** Text from bytes that are UTF-8, in quotes, later and in pieces. */
  textLater(bytes: Uint8Array, start: number, end: number): void {
    this.byte(QUOTE);
    this.postpone(() => this.textPieces(bytes, start, end));
    this.byte(QUOTE);
  }

  private *textPieces(bytes: Uint8Array, start: number, end: number): Generator<undefined, void, undefined> {
    for (let from = start; from < end; from += TEXT_PIECE) {
      this.textPiece(bytes, from, Math.min(end, from + TEXT_PIECE));
      yield;
    }
  }

  /** Text from bytes that should be UTF-8, in quotes. False when they have more than ASCII, and may be none. */
  text(bytes: Uint8Array, start: number, end: number): boolean {
    this.byte(QUOTE);
    let bits = 0;
    for (let from = start; from < end; from += TEXT_PIECE) {
      bits |= this.textPiece(bytes, from, Math.min(end, from + TEXT_PIECE));
    }
    this.byte(QUOTE);
    return bits < 0x80;
  }

  /** All bits of the bytes. */
  private textPiece(bytes: Uint8Array, start: number, end: number): number {
    this.reserve((end - start) * 6);
    const buffer = this.buffer;
    let at = this.length;
    let run = start;
    let bits = 0;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      bits |= byte;
      const letter = ESCAPES[byte] as number;
      if (letter === 0) continue;
      at = copy(bytes, run, i, buffer, at);
      at = escaped(byte, letter, buffer, at);
      run = i + 1;
    }
    this.length = copy(bytes, run, end, buffer, at);
    return bits;
  }

  /** Bytes as base64 (RFC 4648 section 4), in quotes. */
  base64(bytes: Uint8Array): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    this.reserve(text.length + 2);
    this.buffer[this.length++] = QUOTE;
    this.length += this.buffer.write(text, this.length, "latin1");
    this.buffer[this.length++] = QUOTE;
  }

  private reserve(size: number): void {
    const needed = this.length + size;
    if (needed <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

/** Copies a run of bytes and returns where the next one goes. A native call pays only for longer ones. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  const length = end - start;
  if (length > SHORT_TEXT) {
    to.set(from.subarray(start, end), at);
    return at + length;
  }
  let next = at;
  for (let i = start; i < end; i++) to[next++] = from[i] as number;
  return next;
}

const HEX = "0123456789abcdef";

function escaped(byte: number, letter: number, to: Uint8Array, at: number): number {
  let next = at;
  to[next++] = 0x5c;
  to[next++] = letter;
  if (letter !== 0x75) return next;
  to[next++] = 0x30;
  to[next++] = 0x30;
  to[next++] = HEX.charCodeAt(byte >> 4);
  to[next++] = HEX.charCodeAt(byte & 15);
  return next;
}
