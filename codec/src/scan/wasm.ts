/** The scanner's WebAssembly module. */
import { SCANNER } from "../gen/scanner.ts";

/** The linear memory of WebAssembly, which the lib types of this project lack. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The exports of codec/scanner/scan.ts. Positions are addresses in linear memory. */
interface Exports {
  readonly memory: Memory;
  setUp(stack: number, stackEnd: number, end: number): void;
  scan(
    input: number,
    length: number,
    root: number,
    output: number,
    end: number,
    room: number,
    withStatus: boolean,
  ): number;
  listStart(): number;
  listEnd(): number;
  lastItemStart(): number;
  reportsStart(): number;
  reportsLength(): number;
  /** Returns the address of the words described in codec/scanner/places.ts. */
  lastPlace(): number;
  cost(from: number, length: number, limit: number, keys: number, known: number, seed: number): number;
  newKeys(): number;
  hasCostlyNumber(): number;
  hash(from: number, length: number): number;
}

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** The address of the first table, after the constants of the module. */
const FIRST_FREE = 8192;
const PAGE = 65_536;

/** An instance of the scanner, and its memory. */
export class WasmInstance {
  readonly exports: Exports;
  /** The address of the next table. */
  free = FIRST_FREE;
  /** Reads the values that the scanner hands over; see codec/scanner/handover.ts. */
  hostValue: (field: number, from: number, end: number, to: number, room: number, depth: number) => number =
    () => -1;
  private u8: Uint8Array<ArrayBuffer>;
  /** The same memory as `u8`, to read strings. */
  private buffer: Buffer;
  private u32: Uint32Array;

  /** @throws if WebAssembly is not available, or lacks a feature that the module needs */
  constructor() {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
    const hostNumber = (from: number, length: number) => Number(this.text(from, from + length));
    const hostValue: typeof this.hostValue = (...value) => this.hostValue(...value);
    const module = new Module(Buffer.from(SCANNER, "base64"));
    this.exports = new Instance(module, { number: { hostNumber }, handover: { hostValue } })
      .exports as Exports;
    this.u8 = new Uint8Array(this.exports.memory.buffer);
    this.buffer = Buffer.from(this.exports.memory.buffer);
    this.u32 = new Uint32Array(this.exports.memory.buffer);
  }

  /** The whole memory, as a new array after the memory has grown. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.u8;
  }

  /** The 32-bit words of the memory, by address / 4. */
  get words(): Uint32Array {
    return this.u32;
  }

  /** Ensures that at least `size` bytes are available. Throws RangeError when out of memory. */
  reserve(size: number): void {
    const missing = size - this.u8.length;
    if (missing <= 0) return;
    this.exports.memory.grow(Math.ceil(missing / PAGE));
    this.u8 = new Uint8Array(this.exports.memory.buffer);
    this.buffer = Buffer.from(this.exports.memory.buffer);
    this.u32 = new Uint32Array(this.exports.memory.buffer);
  }

  /**
   * Reserves zeroed bytes permanently, at an address divisible by 8. Reads in blocks of 16 bytes may exceed
   * the reserved bytes.
   */
  allocate(size: number): number {
    const at = this.free;
    this.free = (at + size + 7) & ~7;
    this.reserve(this.free + 64);
    // input or output may have used the memory after the tables
    this.u8.fill(0, at, this.free + 64);
    return at;
  }

  /** Returns a string in UTF-8. */
  text(from: number, end: number): string {
    return this.buffer.toString("utf8", from, end);
  }
}
